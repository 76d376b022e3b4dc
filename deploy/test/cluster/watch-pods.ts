import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { runCommand } from './run-command.ts';

const waitingSchema = z.object({ reason: z.string().default('') });
const containerSchema = z.object({
  name: z.string(),
  image: z.string().default(''),
  ready: z.boolean().default(false),
  state: z
    .object({ waiting: waitingSchema.optional(), terminated: z.unknown().optional() })
    .prefault({}),
});
const podsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z
        .object({
          phase: z.string().default('Pending'),
          initContainerStatuses: z.array(containerSchema).default([]),
          containerStatuses: z.array(containerSchema).default([]),
        })
        .prefault({}),
    }),
  ),
});

/** Reasons of a container that waits for an image which will not come by itself. */
const noImage = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
]);

/** What is not ready in a namespace, and what never will be. */
interface PodsSeen {
  readonly waiting: readonly string[];
  readonly hopeless: readonly string[];
}

/** Reads the state of pods as kubectl gives it. */
export const readPods = (json: string): PodsSeen => {
  const { items } = podsSchema.parse(JSON.parse(json));
  const containers = items.flatMap(({ metadata, status }) =>
    [...status.initContainerStatuses, ...status.containerStatuses].map((one) => ({
      ...one,
      pod: metadata.name,
      reason: one.state.waiting?.reason ?? '',
    })),
  );
  const begun = new Set(containers.map(({ pod }) => pod));
  return {
    waiting: [
      ...items
        .filter(({ metadata, status }) => status.phase !== 'Succeeded' && !begun.has(metadata.name))
        .map(({ metadata, status }) => `${metadata.name} (${status.phase})`),
      ...containers
        .filter(({ ready, state }) => !ready && state.terminated === undefined)
        .map(({ pod, reason }) => `${pod} (${reason || 'not ready'})`),
    ],
    hopeless: containers
      .filter(({ reason }) => noImage.has(reason))
      .map(({ pod, image, reason }) => `${pod} has no image ${image}: ${reason}`),
  };
};

/**
 * Says every five seconds what is not ready in a namespace, and gives up for an image that can't be
 * had: Pulumi alone would wait ten minutes for it.
 * @returns The reason to give up; undefined when `over` came first.
 */
export const watchPods = async (
  namespace: string,
  over: AbortSignal,
  say: (text: string) => void,
): Promise<string | undefined> => {
  const args = ['-n', namespace, 'get', 'pods', '-o', 'json', '--request-timeout=5s'];
  let saidAt = performance.now();
  while (!over.aborted) {
    const { code, stdout } = await runCommand('kubectl', args);
    const { waiting, hopeless } = code === 0 ? readPods(stdout) : { waiting: [], hopeless: [] };
    if (hopeless.length > 0) return hopeless.join('\n');
    if (performance.now() - saidAt > 5000 && waiting.length > 0) {
      say(`       waits for ${waiting.join(', ')}`);
      saidAt = performance.now();
    }
    await delay(2000, undefined, { signal: over }).catch(() => undefined);
  }
  return undefined;
};
