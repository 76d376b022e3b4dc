import type { Sweep } from '../../src/platform/jobs/index.ts';

/** Runs a pass of each sweep, one after another, or only of the named sweep. */
export const runSweeps = async (
  sweeps: readonly Sweep[],
  name?: string,
  signal = new AbortController().signal,
): Promise<void> => {
  const named = name === undefined ? sweeps : sweeps.filter((sweep) => sweep.name === name);
  if (named.length === 0) throw new Error(`no sweep is called ${name ?? 'anything'}`);
  for (const sweep of named) await sweep.run(signal);
};
