import { z } from 'zod';
import type { PolicySettings } from './settings.ts';
import { kindOf, saying } from './workload.ts';

/** A resource of the whole stack, as a policy of the stack sees it. */
export interface StackResource {
  readonly type: string;
  readonly name: string;
  readonly props: unknown;
}

const namedSchema = z.object({ metadata: z.object({ name: z.string() }) });
const labels = z.record(z.string(), z.string()).default({});

const deploymentSchema = z.object({
  spec: z.object({
    replicas: z.int().optional(),
    template: z.object({ metadata: z.object({ labels }).prefault({}) }),
  }),
});

const autoscalerSchema = z.object({
  spec: z.object({
    scaleTargetRef: z.object({ kind: z.string(), name: z.string() }),
    minReplicas: z.int().default(1),
  }),
});

const budgetSchema = z.object({
  spec: z.object({ selector: z.object({ matchLabels: labels }).prefault({}) }),
});

const ofKind = (resources: readonly StackResource[], kind: string) =>
  resources.filter(({ type }) => kindOf(type) === kind);

const isSubset = (
  wanted: Readonly<Record<string, string>>,
  labelsOfPod: Readonly<Record<string, string>>,
) => Object.entries(wanted).every(([key, value]) => labelsOfPod[key] === value);

/**
 * Lists the Deployments of a stack in prod that the loss of a node or an upgrade of the nodes would
 * take down. They have one pod, or no PodDisruptionBudget covers them.
 */
export const twoReplicas =
  ({ tier }: PolicySettings) =>
  (resources: readonly StackResource[]): readonly string[] => {
    if (tier !== 'prod') return [];
    const minReplicasOf = new Map(
      ofKind(resources, 'HorizontalPodAutoscaler').map(({ props }) => {
        const { spec } = autoscalerSchema.parse(props);
        return [spec.scaleTargetRef.name, spec.minReplicas];
      }),
    );
    const budgets = ofKind(resources, 'PodDisruptionBudget').map(
      ({ props }) => budgetSchema.parse(props).spec.selector.matchLabels,
    );
    return ofKind(resources, 'Deployment').flatMap(({ props }) => {
      const { name } = namedSchema.parse(props).metadata;
      const { spec } = deploymentSchema.parse(props);
      const pods = minReplicasOf.get(name) ?? spec.replicas ?? 1;
      return [
        ...saying(`${name} has ${pods} pod: prod needs 2 or more`, pods < 2),
        ...saying(
          `${name} has no PodDisruptionBudget: an upgrade of the nodes may stop all its pods`,
          !budgets.some((wanted) => isSubset(wanted, spec.template.metadata.labels)),
        ),
      ];
    });
  };
