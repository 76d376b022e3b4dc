import { z } from 'zod';
import type { DemoContext } from '../cluster.types.ts';
import { listPods, type PodState } from '../list-pods.ts';
import { components, processPods, service } from '../release.ts';
import { waitUntil } from '../wait-until.ts';

const nodesWire = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      spec: z.object({ unschedulable: z.boolean().optional() }),
      status: z.object({
        conditions: z.array(z.object({ type: z.string(), status: z.string() })),
      }),
    }),
  ),
});

const deploymentsWire = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ replicas: z.int() }),
    }),
  ),
});

export interface NodeState {
  readonly name: string;
  readonly isReady: boolean;
  readonly hasControlPlane: boolean;
}

const controlPlane = 'node-role.kubernetes.io/control-plane';

/** Lists the nodes of the cluster. */
export const listNodes = async ({ kubectl }: DemoContext): Promise<readonly NodeState[]> => {
  const { items } = await kubectl.read(['get', 'nodes'], nodesWire);
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    isReady: status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    hasControlPlane: controlPlane in metadata.labels,
  }));
};

/** Returns the pods that are there to stay. */
export const stayingPods = async (context: DemoContext): Promise<readonly PodState[]> =>
  (await listPods(context, processPods)).filter(({ isLeaving }) => !isLeaving);

/** Returns how many pods the release wants. */
const wantedPods = async ({ kubectl }: DemoContext): Promise<number> => {
  const names = new Set(components.map((component) => `${service}-${component}`));
  const { items } = await kubectl.read(['get', 'deployments'], deploymentsWire);
  return items
    .filter(({ metadata }) => names.has(metadata.name))
    .reduce((sum, { spec }) => sum + spec.replicas, 0);
};

/**
 * Waits until every pod that the release wants is ready. Returns how long that took, in seconds.
 */
export const waitForAll = async (context: DemoContext, seconds: number): Promise<number> => {
  const wanted = await wantedPods(context);
  return waitUntil(context, {
    isThere: async () =>
      (await stayingPods(context)).filter(({ isReady }) => isReady).length === wanted,
    everyMs: 1000,
    seconds,
    otherwise: `not all of ${wanted} pods are ready`,
  });
};

/** Waits until every pod that leaves has left: its last requests count as well. */
export const waitForLeaving = async (context: DemoContext, seconds: number): Promise<number> =>
  waitUntil(context, {
    isThere: async () =>
      (await listPods(context, processPods)).every(({ isLeaving }) => !isLeaving),
    everyMs: 1000,
    seconds,
    otherwise: 'pods that leave are still there',
  });

/** Returns the processes of which all pods are on one node, though they have several. */
export const unspread = (pods: readonly PodState[]): string[] =>
  components.filter((component) => {
    const own = pods.filter((pod) => pod.component === component);
    return own.length > 1 && new Set(own.map(({ node }) => node)).size === 1;
  });
