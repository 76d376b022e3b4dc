import { expect, it, vi } from 'vitest';
import { readPods, watchPods } from './cluster/watch-pods.ts';
import { container, playKubectl, pod, withoutImage } from './support/play-kubectl.ts';

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
        pod('failed', 'Failed', [container({ state: { terminated: { exitCode: 1 } } })]),
        pod('lost', 'Pending', [container({ state: { waiting: { reason: 'ImagePullBackOff' } } })]),
      ],
    }),
  );
  expect(seen.waiting).toEqual([
    'unplaced (Pending)',
    'starting (ContainerCreating)',
    'failed (failed)',
    'lost (ImagePullBackOff)',
  ]);
  expect(seen.hopeless).toEqual([
    { uid: 'uid-of-lost', why: 'lost has no image registry/app:1: ImagePullBackOff' },
  ]);
});

it('gives up for an image that cannot be had', async () => {
  playKubectl([], [withoutImage('new')]);
  const over = new AbortController();
  const reason = await watchPods('gold', over.signal, () => undefined);
  expect(reason).toBe('new has no image registry/app:1: ImagePullBackOff');
});

it('waits on where an update mends what was hopeless', async () => {
  playKubectl([withoutImage('old')], [withoutImage('old'), withoutImage('worse')]);
  expect(await watchPods('gold', new AbortController().signal, () => undefined)).toBe(
    'worse has no image registry/app:1: ImagePullBackOff',
  );
});

it('waits on where a pod that was there has no image only later', async () => {
  const starting = container({ state: { waiting: { reason: 'ContainerCreating' } } });
  playKubectl(
    [pod('old', 'Pending', [starting])],
    [withoutImage('old')],
    [withoutImage('old'), withoutImage('worse')],
  );
  expect(await watchPods('gold', new AbortController().signal, () => undefined)).toBe(
    'worse has no image registry/app:1: ImagePullBackOff',
  );
});

it('ends without a reason when the update is over', async () => {
  const ready = pod('new', 'Running', [container({ ready: true, state: { running: {} } })]);
  const turn = playKubectl([withoutImage('old')], [withoutImage('old'), ready], [ready]);
  const over = new AbortController();
  const watched = watchPods('gold', over.signal, () => undefined);
  await vi.waitFor(() => expect(turn()).toBe(2), { timeout: 60_000 });
  over.abort();
  expect(await watched).toBeUndefined();
});
