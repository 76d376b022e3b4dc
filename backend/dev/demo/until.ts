import type { Timers } from '../../src/platform/clock/timers.ts';
import { StepFailure } from './step-failure.ts';

interface UntilOptions<T> {
  readonly timers: Timers;
  readonly look: () => T | Promise<T>;
  readonly isThere: (seen: T) => boolean;
  readonly seconds: number;
  /** Returns the failure's message from the value that was seen last. */
  readonly otherwise: (seen: T) => string;
}

/**
 * Reads a value repeatedly until `isThere` is true. The waits grow, since the client's requests are
 * counted.
 */
export const until = async <T>(options: UntilOptions<T>): Promise<T> => {
  const { timers, look, isThere, seconds, otherwise } = options;
  const deadline = performance.now() + seconds * 1000;
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 1.4, 1000)) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (performance.now() > deadline) {
      throw new StepFailure(`${otherwise(seen)} (waited ${seconds} s)`);
    }
    await timers.sleep(waitMs);
  }
};
