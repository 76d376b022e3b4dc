import { z } from 'zod';
import type { DemoContext } from './cluster.types.ts';

const podsWire = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        uid: z.string(),
        labels: z.record(z.string(), z.string()),
        deletionTimestamp: z.string().optional(),
      }),
      spec: z.object({ nodeName: z.string().default('') }),
      status: z.object({
        phase: z.string(),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
        containerStatuses: z.array(z.object({ restartCount: z.int() })).default([]),
      }),
    }),
  ),
});

export interface PodState {
  readonly name: string;
  readonly uid: string;
  readonly component: string;
  /** The name of its node, or empty until it has one. */
  readonly node: string;
  readonly restarts: number;
  readonly isReady: boolean;
  /** A Job's, that has gone well. */
  readonly isDone: boolean;
  readonly isLeaving: boolean;
}

/** The pods of a label selector, by name. An empty selector means all. */
export const listPods = async (
  { kubectl }: Pick<DemoContext, 'kubectl'>,
  selector: string,
): Promise<readonly PodState[]> => {
  const { items } = await kubectl.read(['get', 'pods', '--selector', selector], podsWire);
  return items
    .map(({ metadata, spec, status }) => ({
      name: metadata.name,
      uid: metadata.uid,
      component: metadata.labels['app.kubernetes.io/component'] ?? '',
      node: spec.nodeName,
      restarts: status.containerStatuses.reduce((sum, one) => sum + one.restartCount, 0),
      isReady: status.conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
      isDone: status.phase === 'Succeeded',
      isLeaving: metadata.deletionTimestamp !== undefined,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** `2 customer, 1 worker`. */
export const countByComponent = (pods: readonly PodState[]): string => {
  const counts = new Map<string, number>();
  for (const { component } of pods) counts.set(component, (counts.get(component) ?? 0) + 1);
  return [...counts].map(([component, count]) => `${count} ${component}`).join(', ');
};
