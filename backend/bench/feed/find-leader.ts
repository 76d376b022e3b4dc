import type { RunningApp } from '../support/open-stack.ts';

/** Counts a worker's calls to the provider, which only the leader of the feed makes. */
const countPriceRequests = async ({ internalUrl }: RunningApp): Promise<number> => {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  const counts = text
    .split('\n')
    .filter((line) => line.startsWith('collaborator_call_duration_seconds_count'))
    .filter((line) => line.includes('collaborator="safegold"'));
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};

/**
 * Finds the worker that made the last tick, which is the worker whose number of calls increased.
 */
export const findLeader = async (
  workers: readonly RunningApp[],
  untilNextTick: () => Promise<unknown>,
): Promise<RunningApp> => {
  const before = await Promise.all(workers.map(countPriceRequests));
  await untilNextTick();
  const after = await Promise.all(workers.map(countPriceRequests));
  const leader = workers.find((_, at) => (after[at] ?? 0) > (before[at] ?? 0));
  if (leader === undefined) throw new Error('no worker asked the provider');
  return leader;
};
