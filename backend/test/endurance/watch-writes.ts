import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Customer } from './customers.ts';
import { answerOf } from './ledger.ts';

interface Write {
  readonly beganAt: number;
  readonly answer: string;
}

/** The writes of a customer through one way to the database. */
export interface WatchedWrites {
  readonly way: string;
  /** Returns true if a write that began after this time succeeded. */
  hasWrittenSince(moment: number): boolean;
  /**
   * Returns the seconds in which writes failed after this time, with the answers of the failed
   * writes.
   */
  readonly refusedSince: (moment: number) => {
    readonly seconds: number;
    readonly answers: readonly string[];
  };
}

/**
 * The time between two writes, in milliseconds. A write does not wait for the answer of the
 * previous one.
 */
const everyMs = 250;

/** Writes a row repeatedly until the signal, and records the answer of each write. */
export const watchWrites = (
  way: string,
  customer: Customer,
  { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal },
): WatchedWrites => {
  const writes: Write[] = [];
  const body = { token: `watch-${way}`.replaceAll(/\W/gu, '-'), platform: 'android' } as const;
  const write = async (): Promise<void> => {
    const beganAt = performance.now();
    const answer = await customer
      .call((api) => api.post('/v1/users/me/push-tokens', { body }))
      .then(
        () => 'done',
        (error: unknown) => answerOf(error),
      );
    writes.push({ beganAt, answer });
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      void write();
      await timers.sleep(everyMs, signal);
    }
  };
  void work();
  return {
    way,
    hasWrittenSince: (moment) =>
      writes.some(({ beganAt, answer }) => beganAt > moment && answer === 'done'),
    refusedSince(moment) {
      const since = writes
        .filter(({ beganAt }) => beganAt >= moment)
        .toSorted((one, other) => one.beganAt - other.beganAt);
      const failed = since.filter(({ answer }) => answer !== 'done');
      // Each period of failed writes ends with the next successful write.
      const stretches = since.flatMap(({ beganAt, answer }, index) => {
        const next = since[index + 1];
        return answer === 'done' || next === undefined ? [] : [next.beganAt - beganAt];
      });
      const seconds = stretches.reduce((sum, ms) => sum + ms, 0) / 1000;
      return { seconds, answers: failed.map(({ answer }) => answer) };
    },
  };
};
