import { setTimeout as delay } from 'node:timers/promises';

/** Waits in real time. It is injected so that tests of waiting need not wait. */
export interface Timers {
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const createTimers = (): Timers => ({
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  },
});
