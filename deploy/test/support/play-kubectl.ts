import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** A pod as kubectl prints it. */
export const pod = (name: string, phase: string, containers: readonly object[]) => ({
  metadata: { name, uid: `uid-of-${name}` },
  status: { phase, containerStatuses: containers },
});

/** A container of a pod, with its state. */
export const container = (changes: object) => ({
  name: 'app',
  image: 'registry/app:1',
  ...changes,
});

/** A pod whose image cannot be pulled. */
export const withoutImage = (name: string) =>
  pod(name, 'Pending', [container({ state: { waiting: { reason: 'ImagePullBackOff' } } })]);

/**
 * Puts a program in the place of kubectl until the test is over.
 * @param lines Lines of a shell script, which runs in a folder of its own.
 * @returns The folder.
 */
export const putKubectl = (...lines: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    // A look that was given up may still be writing there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const file = join(folder, 'kubectl');
  writeFileSync(file, ['#!/bin/sh', `cd "${folder}"`, ...lines, ''].join('\n'));
  chmodSync(file, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  return folder;
};

/**
 * Plays a kubectl that sees each list of pods once, and the last one from then on.
 * @returns A way to ask which one comes next.
 */
export const playKubectl = (...lists: readonly (readonly object[])[]): (() => number) => {
  const folder = putKubectl(
    'turn=$(cat turn 2>/dev/null || echo 0)',
    'cat "$turn.json"',
    'next=$((turn + 1)); [ ! -f "$next.json" ] || echo "$next" >turn',
  );
  for (const [turn, items] of lists.entries()) {
    writeFileSync(join(folder, `${turn}.json`), JSON.stringify({ items }));
  }
  const turn = join(folder, 'turn');
  return () => (existsSync(turn) ? Number(readFileSync(turn, 'utf8')) : 0);
};
