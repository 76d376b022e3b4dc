import { PolicyPack, type Policies, type ResourceValidationPolicy } from '@pulumi/policy';
import { encryptedHosts, internalAccounting } from './exposure.ts';
import { managedStores } from './managed-stores.ts';
import { limitedContainers, restrictedPods } from './restricted-pods.ts';
import { fixedImages, noPlainSecrets } from './secrets-and-images.ts';
import { createSettings, type PolicySettings } from './settings.ts';
import { twoReplicas } from './two-replicas.ts';
import type { ResourceRule } from './workload.ts';

const settings = createSettings();

/** Creates a policy that stops the update when its rule is broken. */
const policyOf = (
  name: string,
  description: string,
  ruleOf: (settings: PolicySettings) => ResourceRule,
): ResourceValidationPolicy => ({
  name,
  description,
  enforcementLevel: 'mandatory',
  validateResource: (resource, reportViolation) => {
    settings.look(resource.type, resource.props);
    for (const sentence of ruleOf(settings.get())(resource.type, resource.props)) {
      reportViolation(`${resource.name}: ${sentence}`);
    }
  },
});

const policies: Policies = [
  policyOf('restricted-pods', 'No pod has more than it needs.', () => restrictedPods),
  policyOf('limited-containers', 'No container takes a whole node.', () => limitedContainers),
  policyOf('internal-accounting', 'Accounting is reached from inside alone.', internalAccounting),
  policyOf('encrypted-hosts', 'Hosts of prod have certificates.', encryptedHosts),
  policyOf('no-plain-secrets', 'No secret is where everybody reads.', () => noPlainSecrets),
  policyOf('managed-stores', 'Databases and caches of prod are kept.', managedStores),
  policyOf('fixed-images', 'Every image says which one it is.', fixedImages),
  {
    name: 'two-replicas',
    description: 'What customers use outlives a node.',
    enforcementLevel: 'mandatory',
    validateStack: ({ resources }, reportViolation) => {
      for (const { type, props } of resources) settings.look(type, props);
      for (const sentence of twoReplicas(settings.get())(resources)) reportViolation(sentence);
    },
  },
];

/** Creates the pack, which also registers it. */
export const pack = new PolicyPack('digital-gold', { policies });
