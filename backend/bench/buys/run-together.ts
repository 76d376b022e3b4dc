import { median } from '../support/statistics.ts';

export interface TogetherResult {
  /** The total time divided by the number of pieces. */
  readonly msEach: number;
  /** The median time from the start of a piece to its end. */
  readonly p50Ms: number;
}

/** Does `count` pieces of work, up to `concurrency` of them at the same time. */
export const runTogether = async (
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
): Promise<TogetherResult> => {
  const times: number[] = [];
  let next = 0;
  const begunAt = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const startedAt = performance.now();
      await work(index);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { msEach: (performance.now() - begunAt) / count, p50Ms: median(times) };
};
