import { z } from 'zod';
import { tiers, type StackConfig, type Tier } from '../config/stack-config.ts';

/**
 * The annotation of the namespace that says what its stack is. The policies read it there: the CLI
 * hands a pack the objects of a stack, and not its configuration.
 */
export const stackAnnotation = 'deploy.digital-gold/stack';

const refShape = {
  name: z.string(),
  sectionName: z.string().optional(),
  port: z.int().optional(),
};

/** A `parentRef` of a route: a Gateway, or one of its listeners. */
export const parentRefSchema = z.object({ ...refShape, namespace: z.string().optional() });

const gatewaySchema = z.object({ ...refShape, namespace: z.string() });

/** A Gateway with its namespace, or one listener of it. */
export type GatewayFact = z.output<typeof gatewaySchema>;

/** Tells the policies of the stack that they check. */
export interface StackFacts {
  readonly tier: Tier;
  /** Ingress classes that only the company's network reaches. */
  readonly internalClasses: readonly string[];
  /** Gateways, or listeners of them, that only the company's network reaches. */
  readonly internalGateways: readonly GatewayFact[];
}

const valuesSchema = z.object({
  gateway: z.object({ internalParentRefs: z.array(parentRefSchema).default([]) }).prefault({}),
});

const factsSchema = z.object({
  tier: z.enum(tiers),
  internalClasses: z.array(z.string()),
  internalGateways: z.array(gatewaySchema),
});

/** Returns the annotation of a stack's namespace. */
export const stackAnnotations = ({ tier, namespace, ingress, values }: StackConfig) => {
  const { gateway } = valuesSchema.parse(values);
  const facts: StackFacts = {
    tier,
    internalClasses: [ingress.classes.internal],
    internalGateways: gateway.internalParentRefs.map((one) => ({
      ...one,
      namespace: one.namespace ?? namespace,
    })),
  };
  return { [stackAnnotation]: JSON.stringify(facts) };
};

/**
 * Returns the value of an annotation, or undefined if there is none.
 * @throws Error if it cannot be read. No policy may let that pass.
 */
export const readStackFacts = (annotation: string | undefined): StackFacts | undefined =>
  annotation === undefined ? undefined : factsSchema.parse(JSON.parse(annotation));
