import { z } from 'zod';
import { tiers, type StackConfig, type Tier } from '../config/stack-config.ts';

/**
 * The annotation of the namespace with the facts of its stack. The policies read it there, because
 * the CLI passes a pack the objects of a stack, and not its configuration.
 */
export const stackAnnotation = 'deploy.digital-gold/stack';

const refShape = {
  name: z.string(),
  sectionName: z.string().optional(),
  port: z.int().optional(),
};

/** A `parentRef` of a route. It is a Gateway, or one of its listeners. */
export const parentRefSchema = z.object({ ...refShape, namespace: z.string().optional() });

const gatewaySchema = z.object({ ...refShape, namespace: z.string() });

/** A Gateway with its namespace, or one listener of it. */
export type GatewayFact = z.output<typeof gatewaySchema>;

/** The facts that the policies need about the stack that they check. */
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
    internalGateways: gateway.internalParentRefs.map((ref) => ({
      ...ref,
      namespace: ref.namespace ?? namespace,
    })),
  };
  return { [stackAnnotation]: JSON.stringify(facts) };
};

/**
 * Returns the value of an annotation, or undefined if there is none.
 * @throws Error if it cannot be read, since a policy must not pass a stack that it cannot read
 */
export const readStackFacts = (annotation: string | undefined): StackFacts | undefined =>
  annotation === undefined ? undefined : factsSchema.parse(JSON.parse(annotation));
