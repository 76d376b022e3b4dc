import type { Purge } from '../../src/platform/jobs/index.ts';

/** Deletes one batch of each purge, and returns how many rows went. */
export const runPurges = async (purges: readonly Purge[]): Promise<number> => {
  let count = 0;
  for (const { deleteBatch } of purges) count += await deleteBatch(1000);
  return count;
};
