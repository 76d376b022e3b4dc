import { expect, it } from 'vitest';
import { readPods } from './cluster/watch-pods.ts';

const pod = (name: string, phase: string, containers: readonly object[]) => ({
  metadata: { name },
  status: { phase, containerStatuses: containers },
});
const container = (changes: object) => ({ name: 'app', image: 'registry/app:1', ...changes });

it('tells what waits from what will never come', () => {
  const seen = readPods(
    JSON.stringify({
      items: [
        pod('ready', 'Running', [container({ ready: true, state: { running: {} } })]),
        pod('starting', 'Pending', [
          container({ state: { waiting: { reason: 'ContainerCreating' } } }),
        ]),
        pod('unplaced', 'Pending', []),
        pod('done', 'Succeeded', [container({ state: { terminated: { exitCode: 0 } } })]),
        pod('lost', 'Pending', [container({ state: { waiting: { reason: 'ImagePullBackOff' } } })]),
      ],
    }),
  );
  expect(seen.waiting).toEqual([
    'unplaced (Pending)',
    'starting (ContainerCreating)',
    'lost (ImagePullBackOff)',
  ]);
  expect(seen.hopeless).toEqual(['lost has no image registry/app:1: ImagePullBackOff']);
});
