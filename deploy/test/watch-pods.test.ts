import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readPods, watchPods } from './cluster/watch-pods.ts';

const pod = (name: string, phase: string, containers: readonly object[]) => ({
  metadata: { name, uid: `uid-of-${name}` },
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

const withoutImage = (name: string) =>
  pod(name, 'Pending', [container({ state: { waiting: { reason: 'ImagePullBackOff' } } })]);

/**
 * Plays a kubectl that sees each list of pods once, and the last one from then on.
 * @returns A way to ask which one comes next.
 */
const seeInTurn = (...lists: readonly (readonly object[])[]): (() => number) => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-pods-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  for (const [turn, items] of lists.entries()) {
    writeFileSync(join(folder, `${turn}.json`), JSON.stringify({ items }));
  }
  const lines = [
    '#!/bin/sh',
    `turn=$(cat "${folder}/turn" 2>/dev/null || echo 0)`,
    `cat "${folder}/$turn.json"`,
    `next=$((turn + 1)); [ ! -f "${folder}/$next.json" ] || echo "$next" >"${folder}/turn"`,
    '',
  ];
  writeFileSync(join(folder, 'kubectl'), lines.join('\n'));
  chmodSync(join(folder, 'kubectl'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  const turn = join(folder, 'turn');
  return () => (existsSync(turn) ? Number(readFileSync(turn, 'utf8')) : 0);
};

it('gives up for an image that cannot be had', { timeout: 60_000 }, async () => {
  seeInTurn([], [withoutImage('new')]);
  const over = new AbortController();
  const reason = await watchPods('gold', over.signal, () => undefined);
  expect(reason).toBe('new has no image registry/app:1: ImagePullBackOff');
});

it('waits on where an update mends what was hopeless', { timeout: 60_000 }, async () => {
  seeInTurn([withoutImage('old')], [withoutImage('old'), withoutImage('worse')]);
  expect(await watchPods('gold', new AbortController().signal, () => undefined)).toBe(
    'worse has no image registry/app:1: ImagePullBackOff',
  );
});

it('ends without a reason when the update is over', { timeout: 60_000 }, async () => {
  const ready = pod('new', 'Running', [container({ ready: true, state: { running: {} } })]);
  const turn = seeInTurn([withoutImage('old')], [withoutImage('old'), ready], [ready]);
  const over = new AbortController();
  const watched = watchPods('gold', over.signal, () => undefined);
  await vi.waitFor(() => expect(turn()).toBe(2), { timeout: 50_000 });
  over.abort();
  expect(await watched).toBeUndefined();
});
