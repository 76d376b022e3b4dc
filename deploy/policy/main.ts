import { PolicyPack, type ResourceValidationPolicy } from '@pulumi/policy';
import { z } from 'zod';
import {
  fixedImages,
  internalAccounting,
  noPlainSecrets,
  restrictedPods,
  type ResourceRule,
} from './rules.ts';

const settingsSchema = z.object({ internalClasses: z.array(z.string()).default(['internal']) });

/** Creates a policy that stops the update when its rule is broken. */
const policyOf = (
  name: string,
  description: string,
  ruleOf: (settings: unknown) => ResourceRule,
): ResourceValidationPolicy => ({
  name,
  description,
  enforcementLevel: 'mandatory',
  validateResource: (resource, reportViolation) => {
    const rule = ruleOf(resource.getConfig());
    for (const sentence of rule(resource.type, resource.props)) {
      reportViolation(`${resource.name}: ${sentence}`);
    }
  },
});

/** Registers the pack: creating it is enough. */
export const pack = new PolicyPack('digital-gold', {
  policies: [
    policyOf('restricted-pods', 'No pod has more than it needs.', () => restrictedPods),
    {
      ...policyOf('internal-accounting', 'Accounting is reached from inside alone.', (settings) =>
        internalAccounting(settingsSchema.parse(settings).internalClasses),
      ),
      configSchema: {
        properties: {
          internalClasses: { type: 'array', items: { type: 'string' }, default: ['internal'] },
        },
      },
    },
    policyOf('no-plain-secrets', 'No secret is where everybody reads.', () => noPlainSecrets),
    policyOf('fixed-images', 'Every image says which one it is.', () => fixedImages),
  ],
});
