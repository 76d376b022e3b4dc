import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runWatched } from './cluster/run-watched.ts';
import { playKubectl, putKubectl, withoutImage } from './support/play-kubectl.ts';

it('ends a script and its program for an image that cannot be had', async () => {
  // It sees the pod once the program below has begun, and not at the first look.
  const folder = putKubectl(
    'if [ -f asked ] && [ -f begun ]; then cat pods.json; else echo \'{"items":[]}\'; fi',
    'touch asked',
  );
  writeFileSync(join(folder, 'pods.json'), JSON.stringify({ items: [withoutImage('new')] }));
  writeFileSync(
    join(folder, 'program.sh'),
    "trap 'echo ended >said; exit 130' INT\ntouch begun\nwhile :; do sleep 1; done\n",
  );
  writeFileSync(join(folder, 'script.sh'), 'sh program.sh\necho "after the program"\n');
  const { code, output } = await runWatched({
    namespace: 'gold',
    program: 'sh',
    args: ['script.sh'],
    cwd: folder,
    isGroup: true,
  });
  expect(code).not.toBe(0);
  expect(output).toBe('new has no image registry/app:1: ImagePullBackOff\n');
  expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('ended\n');
});

it('returns what a program said and how it ended', async () => {
  playKubectl([]);
  const { code, stdout, output } = await runWatched({
    namespace: 'gold',
    program: 'sh',
    args: ['-c', 'echo one; echo two >&2; exit 3'],
    isGroup: true,
  });
  expect([code, stdout]).toEqual([3, 'one\n']);
  expect(output).toContain('two');
});
