import { createTimers } from '../../src/platform/clock/timers.ts';

interface EventuallyOptions {
  /** The time to go on trying, 60 s unless given. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

const timers = createTimers();

/**
 * Tries until `attempt` neither throws nor answers `false`, and answers what it answered.
 * Takes a condition (`() => count === 2`) as well as an assertion (`() => expect(x).toBe(2)`).
 * @throws what the last try threw, or an Error saying that it was false to the end.
 */
export const eventually = async <T>(
  attempt: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<T> => {
  const { timeoutMs = 60_000, everyMs = 25 } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const late = performance.now() >= deadline;
    try {
      const value = await attempt();
      if (value !== false) return value;
      if (late) throw new Error(`still false after ${timeoutMs} ms: ${attempt.toString()}`);
    } catch (error) {
      if (late) throw error;
    }
    await timers.sleep(everyMs);
  }
};
