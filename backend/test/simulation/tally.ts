import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const played = z.object({
  seed: z.int(),
  steps: z.int(),
  held: z.boolean(),
  /** The commit whose code was played. */
  commit: z.string(),
  at: z.iso.datetime(),
});

/** A seed that was played to its end or to its failure. */
export type PlayedSeed = z.output<typeof played>;

/** Reads a tally file, which has a line of JSON for each played seed. */
export const readTally = (file: string): readonly PlayedSeed[] => {
  if (file === '' || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => played.parse(JSON.parse(line)));
};

/** Adds a line to a tally file. Several processes may add to the same file. */
export const addToTally = (file: string, one: PlayedSeed): void => {
  if (file !== '') appendFileSync(file, `${JSON.stringify(one)}\n`);
};

/** Returns the seeds that were played with `steps` steps, which a run need not play again. */
export const seedsPlayed = (file: string, steps: number): ReadonlySet<number> =>
  new Set(
    readTally(file)
      .filter((one) => one.steps === steps)
      .map(({ seed }) => seed),
  );

/** Summarizes a tally in lines, with the passed seeds and steps by commit, and the failed seeds. */
export const sumTally = (all: readonly PlayedSeed[]): readonly string[] => {
  const newest = [...new Map(all.map((one) => [`${one.seed} ${one.steps}`, one])).values()];
  const textOf = (some: readonly PlayedSeed[]): string => {
    const steps = some.reduce((sum, one) => sum + one.steps, 0);
    return `${some.length} seeds, ${steps} steps`;
  };
  const held = newest.filter((one) => one.held);
  const failed = newest.filter((one) => !one.held);
  const commits = [...new Set(newest.map(({ commit }) => commit))];
  return [
    `held: ${textOf(held)}`,
    ...commits.map(
      (commit) => `  ${commit}: ${textOf(held.filter((one) => one.commit === commit))}`,
    ),
    `failed: ${failed.length} seeds`,
    ...failed.map(({ seed, steps, commit }) => `  SEED=${seed} STEPS=${steps} at ${commit}`),
  ];
};
