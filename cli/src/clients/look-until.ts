import type { CliDeps } from '../cli-deps.ts';
import { RefusalError } from './admin-api.ts';

/** The looks that follow each other soon, since most of what is waited for is over at once. */
const soonLooks = 10;
const soonMs = 500;
/** The admin API takes 60 requests a minute from one address, which others may use too. */
const laterMs = 3000;

interface Looks<Found> {
  readonly look: () => Promise<Found>;
  readonly isOver: (found: Found) => boolean;
  /** The time at which the last look is made, in milliseconds of the epoch. */
  readonly untilMs: number;
}

/**
 * Returns the pause that a refusal requires.
 * @throws the error if it requires none
 */
const pauseOf = (error: unknown): number => {
  if (!(error instanceof RefusalError) || error.code !== 'RATE_LIMITED') throw error;
  return (error.retryAfterSeconds ?? 0) * 1000;
};

/**
 * Looks again and again until something is over or the time is, and returns what was seen last.
 * Where the API has had too many requests of this address it waits for as long as the API says.
 * @throws the error of a look that was refused for anything else
 */
export const lookUntil = async <Found>(
  deps: Pick<CliDeps, 'now' | 'sleep' | 'signal'>,
  { look, isOver, untilMs }: Looks<Found>,
): Promise<Found> => {
  for (let looks = 1; ; looks += 1) {
    let pauseMs = looks < soonLooks ? soonMs : laterMs;
    const isLast = deps.now().getTime() >= untilMs;
    try {
      const found = await look();
      if (isOver(found) || deps.now().getTime() >= untilMs) return found;
    } catch (error) {
      pauseMs = Math.max(pauseMs, pauseOf(error));
      if (isLast) throw error;
    }
    await deps.sleep(pauseMs, deps.signal);
  }
};
