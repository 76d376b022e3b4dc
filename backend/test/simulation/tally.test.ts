import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addToTally, readTally, seedsPlayed, sumTally } from './tally.ts';

const at = '2026-11-27T03:00:00.000Z';

it('the tally adds up the seeds of several runs, and knows which were played', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dgs-tally-'));
  const file = join(folder, 'tally.jsonl');
  addToTally(file, { seed: 1, steps: 400, held: true, commit: 'a1', at });
  addToTally(file, { seed: 2, steps: 400, held: false, commit: 'a1', at });
  addToTally(file, { seed: 3, steps: 1500, held: true, commit: 'b2', at });
  // Played again once it was mended.
  addToTally(file, { seed: 2, steps: 400, held: true, commit: 'b2', at });
  addToTally(file, { seed: 4, steps: 400, held: false, commit: 'b2', at });
  expect(seedsPlayed(file, 400)).toEqual(new Set([1, 2, 4]));
  expect(sumTally(readTally(file))).toEqual([
    'held: 3 seeds, 2300 steps',
    '  a1: 1 seeds, 400 steps',
    '  b2: 2 seeds, 1900 steps',
    'failed: 1 seeds',
    '  SEED=4 STEPS=400 at b2',
  ]);
  rmSync(folder, { recursive: true });
});
