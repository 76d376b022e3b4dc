import { median } from '../support/statistics.ts';

export interface TogetherResult {
  /** Of the whole: what one piece took of the time, with so many at once. */
  readonly msEach: number;
  /** From the start of a piece to its end. */
  readonly p50Ms: number;
}

/** Does `count` pieces of work, `concurrency` of them at any time. */
export const runTogether = async (
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
): Promise<TogetherResult> => {
  const took: number[] = [];
  let next = 0;
  const begunAt = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const startedAt = performance.now();
      await work(index);
      took.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return { msEach: (performance.now() - begunAt) / count, p50Ms: median(took) };
};
