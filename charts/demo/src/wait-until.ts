import type { DemoContext } from './cluster.types.ts';

interface WaitOptions {
  readonly isThere: () => Promise<boolean>;
  readonly everyMs: number;
  readonly seconds: number;
  /** The failure's message when the time is over. */
  readonly otherwise: string;
}

/** Looks at an even pace until it is there. Returns how long that took, in seconds. */
export const waitUntil = async (
  { sleep }: Pick<DemoContext, 'sleep'>,
  { isThere, everyMs, seconds, otherwise }: WaitOptions,
): Promise<number> => {
  const begun = performance.now();
  for (;;) {
    const isNow = await isThere();
    const waited = (performance.now() - begun) / 1000;
    if (isNow) return waited;
    if (waited > seconds) throw new Error(`${otherwise} (waited ${seconds} s)`);
    await sleep(everyMs);
  }
};
