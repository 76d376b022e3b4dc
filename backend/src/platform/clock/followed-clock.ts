import { z } from 'zod';
import { addMs, createSystemClock, type Clock } from './clock.ts';
import { createTimers, type Timers } from './timers.ts';

const answerSchema = z.object({ offsetSeconds: z.number() });

interface FollowedClock extends Clock {
  /** Reads the offset once, then keeps following it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface FollowedClockOptions {
  /** The base address of the sandbox, whose `GET /_control/clock` returns the offset. */
  readonly url: string;
  readonly pollMs?: number;
  readonly onError?: (error: unknown) => void;
  readonly timers?: Timers;
}

/**
 * Creates a clock of real time plus the offset of the sandbox's clock (contract: collaborators >
 * Time). Every process follows a change of the offset within a second. While the sandbox is
 * unreachable, the last offset applies. The clock is used only if CLOCK_CONTROL is on, which
 * production refuses.
 */
export const createFollowedClock = (options: FollowedClockOptions): FollowedClock => {
  const { url, pollMs = 250, onError = () => {}, timers = createTimers() } = options;
  const system = createSystemClock();
  const stopping = new AbortController();
  let offsetMs = 0;
  let loop: Promise<void> = Promise.resolve();

  const read = async (): Promise<void> => {
    const response = await fetch(`${url}/_control/clock`, { signal: AbortSignal.timeout(2000) });
    const body: unknown = await response.json();
    offsetMs = Math.round(answerSchema.parse(body).offsetSeconds * 1000);
  };
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await timers.sleep(pollMs, stopping.signal);
      if (!stopping.signal.aborted) await read().catch(onError);
    }
  };

  return {
    now: () => addMs(system.now(), offsetMs),
    async start() {
      await read().catch(onError);
      loop = follow();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
};
