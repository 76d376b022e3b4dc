import { z } from 'zod';
import type { DemoContext } from '../cluster.types.ts';
import { service } from '../release.ts';

/** The state of the customer API's autoscaler. */
export interface ScaleState {
  readonly pods: number;
  readonly ready: number;
  readonly wanted: number;
  /** Mean CPU of the pods in percent of their request, or undefined until it is measured. */
  readonly percent: number | undefined;
}

const autoscalerWire = z.object({
  status: z
    .object({
      desiredReplicas: z.int().default(0),
      currentMetrics: z
        .array(
          z.object({
            resource: z
              .object({ current: z.object({ averageUtilization: z.int().optional() }) })
              .optional(),
          }),
        )
        .nullish(),
    })
    .prefault({}),
});

const deploymentWire = z.object({
  status: z.object({ replicas: z.int().default(0), readyReplicas: z.int().default(0) }),
});

/** Reads the autoscaler of the customer API and the pods that are ready. */
export const readAutoscaler = async ({
  kubectl,
}: Pick<DemoContext, 'kubectl'>): Promise<ScaleState> => {
  const name = `${service}-customer`;
  const { status } = await kubectl.read(
    ['get', 'horizontalpodautoscaler.v2.autoscaling', name],
    autoscalerWire,
  );
  const deployment = await kubectl.read(['get', 'deployment', name], deploymentWire);
  const percents = (status.currentMetrics ?? []).map(
    ({ resource }) => resource?.current.averageUtilization,
  );
  return {
    pods: deployment.status.replicas,
    ready: deployment.status.readyReplicas,
    wanted: status.desiredReplicas,
    percent: percents.find((one) => one !== undefined),
  };
};

/** Describes a state: `2 pods, all ready, at 9 %`. */
export const describeState = ({ pods, ready, wanted, percent }: ScaleState): string => {
  const isReady = ready === pods ? 'all ready' : `${ready} ready`;
  const goal = wanted === pods ? '' : `, ${wanted} wanted`;
  return `${pods} pods, ${isReady}${goal}, at ${percent ?? 'an unknown'} %`;
};
