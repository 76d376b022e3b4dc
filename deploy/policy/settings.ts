import { Config } from '@pulumi/pulumi';
import { z } from 'zod';
import { tiers, type Tier } from '../src/config/stack-config.ts';

/** What the policies know of the stack that they check. */
export interface PolicySettings {
  readonly tier: Tier;
  /** Ingress classes that only the company's network reaches. */
  readonly internalClasses: readonly string[];
  /** Names of the Gateways that only the company's network reaches. */
  readonly internalGateways: readonly string[];
}

const ingressSchema = z
  .object({ classes: z.object({ internal: z.string().default('internal') }).prefault({}) })
  .prefault({});

const valuesSchema = z
  .object({
    gateway: z
      .object({ internalParentRefs: z.array(z.object({ name: z.string() })).default([]) })
      .prefault({}),
  })
  .prefault({});

/** A configuration as Pulumi hands it over: texts, and objects of a form that nobody has checked. */
interface StackTexts {
  readonly get: (key: string) => string | undefined;
  readonly getObject: (key: string) => unknown;
}

const ownConfig = (): StackTexts => {
  const config = new Config('digital-gold');
  return { get: (key) => config.get(key), getObject: (key) => config.getObject<unknown>(key) };
};

/**
 * Reads the settings from the stack's own configuration. A stack that says no tier is held to prod's
 * rules: a pack that is run on an unknown program must not be lenient.
 */
export const readSettings = (config: StackTexts = ownConfig()): PolicySettings => {
  const tier = z.enum(tiers).safeParse(config.get('tier'));
  const { classes } = ingressSchema.parse(config.getObject('ingress'));
  const { gateway } = valuesSchema.parse(config.getObject('values'));
  return {
    tier: tier.success ? tier.data : 'prod',
    internalClasses: [classes.internal],
    internalGateways: gateway.internalParentRefs.map(({ name }) => name),
  };
};
