import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { runCommand } from './run-command.ts';

const waitingSchema = z.object({ reason: z.string().default('') });
const containerSchema = z.object({
  name: z.string(),
  image: z.string().default(''),
  ready: z.boolean().default(false),
  state: z
    .object({
      waiting: waitingSchema.optional(),
      terminated: z.object({ exitCode: z.int().default(0) }).optional(),
    })
    .prefault({}),
});
const podsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), uid: z.string().default('') }),
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

/** A pod that never gets ready by itself. */
interface HopelessPod {
  readonly uid: string;
  readonly why: string;
}

/** What is not ready in a namespace, and what never will be. */
interface PodsSeen {
  readonly uids: readonly string[];
  readonly waiting: readonly string[];
  readonly hopeless: readonly HopelessPod[];
}

const nothingSeen: PodsSeen = { uids: [], waiting: [], hopeless: [] };

/** Reads the state of pods as kubectl gives it. */
export const readPods = (json: string): PodsSeen => {
  const { items } = podsSchema.parse(JSON.parse(json));
  const containers = items.flatMap(({ metadata, status }) =>
    [...status.initContainerStatuses, ...status.containerStatuses].map((one) => ({
      ...one,
      pod: metadata.name,
      uid: metadata.uid,
      reason: one.state.waiting?.reason ?? '',
    })),
  );
  const begun = new Set(containers.map(({ pod }) => pod));
  return {
    uids: items.map(({ metadata }) => metadata.uid),
    waiting: [
      ...items
        .filter(({ metadata, status }) => status.phase !== 'Succeeded' && !begun.has(metadata.name))
        .map(({ metadata, status }) => `${metadata.name} (${status.phase})`),
      ...containers
        .filter(({ ready, state }) => !ready && state.terminated?.exitCode !== 0)
        .map(({ pod, reason, state }) => {
          const has = state.terminated === undefined ? 'not ready' : 'failed';
          return `${pod} (${reason || has})`;
        }),
    ],
    hopeless: containers
      .filter(({ reason }) => noImage.has(reason))
      .map(({ uid, pod, image, reason }) => ({
        uid,
        why: `${pod} has no image ${image}: ${reason}`,
      })),
  };
};

/**
 * Says every five seconds what is not ready in a namespace, and gives up for an image that can't be
 * had: Pulumi alone would wait ten minutes for it. Pods that were there at the start are those that
 * an update may be there to mend.
 * @returns The reason to give up, or undefined when `over` came first.
 */
export const watchPods = async (
  namespace: string,
  over: AbortSignal,
  say: (text: string) => void,
): Promise<string | undefined> => {
  const args = ['-n', namespace, 'get', 'pods', '-o', 'json', '--request-timeout=5s'];
  let saidAt = performance.now();
  let before: ReadonlySet<string> | undefined;
  while (!over.aborted) {
    const { code, stdout } = await runCommand('kubectl', args);
    const { uids, waiting, hopeless } = code === 0 ? readPods(stdout) : nothingSeen;
    if (code === 0) before ??= new Set(uids);
    const fresh = hopeless.filter(({ uid }) => before?.has(uid) !== true);
    if (fresh.length > 0) return fresh.map(({ why }) => why).join('\n');
    if (performance.now() - saidAt > 5000) {
      const none =
        code === 0 ? 'the command (no pod is missing)' : 'the cluster (it does not answer)';
      say(`waits for ${waiting.join(', ') || none}`);
      saidAt = performance.now();
    }
    await delay(2000, undefined, { signal: over }).catch(() => undefined);
  }
  return undefined;
};
