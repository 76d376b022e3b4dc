import type { Timers } from '../clock/timers.ts';
import type { Random } from '../ids/random.ts';

export interface Loop {
  /** Starts the loop. The first run follows after a random part of `jitterMs`. */
  start(): void;
  /** Stops after the current run. */
  stop(): Promise<void>;
}

interface LoopOptions {
  /** The real milliseconds from the end of a run to the start of the next. */
  readonly everyMs: number;
  /** The longest random delay added each time, so that replicas don't run in step. */
  readonly jitterMs: number;
  /** `signal` aborts when the loop is being stopped. */
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
  readonly timers: Timers;
  readonly random: Random;
}

/**
 * Creates a loop that runs the same work repeatedly, never concurrently. An error never ends it.
 */
export const createLoop = (options: LoopOptions): Loop => {
  const { everyMs, jitterMs, run, onError, timers, random } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  const jitter = (): number => (jitterMs < 1 ? 0 : random.int(Math.ceil(jitterMs)));

  const loop = async (): Promise<void> => {
    await timers.sleep(jitter(), signal);
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        onError(error);
      }
      await timers.sleep(everyMs + jitter(), signal);
    }
  };

  return {
    start() {
      running ??= loop();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
};
