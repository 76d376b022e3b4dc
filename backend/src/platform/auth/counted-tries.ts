import { addMs, msBetween } from '../clock/clock.ts';

const minuteMs = 60_000;

/** Allows `maxTries` tries within `windowMs`. The last of them locks for `lockMs`. */
export interface TryRule {
  readonly windowMs: number;
  readonly maxTries: number;
  readonly lockMs: number;
}

/** The rule of passwords and MPINs (contract: limits > Sign-in limits). */
const secretRule: TryRule = { windowMs: 15 * minuteMs, maxTries: 5, lockMs: 30 * minuteMs };

/**
 * Tolerates another process's clock that is at most this far ahead of ours. Times further ahead
 * were written before a clock was set back. They are ignored, since they could lock a user for
 * days.
 */
export const clockSkewMs = 60_000;

/** The tries of a secret since its last success, and the lock. */
export interface CountedTries {
  readonly triedAt: readonly Date[];
  readonly lockedUntil: Date | null;
}

/** The verdict on a try, before its secret is checked. */
type Verdict =
  | { readonly kind: 'judge'; readonly locks: boolean; readonly next: CountedTries }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

/**
 * Counts a try at `now` as wrong before its secret is checked. The try that reaches the limit is
 * still checked.
 */
export const countTry = (
  { triedAt, lockedUntil }: CountedTries,
  now: Date,
  { windowMs, maxTries, lockMs }: TryRule = secretRule,
): Verdict => {
  const remainingMs = lockedUntil === null ? 0 : msBetween(now, lockedUntil);
  if (remainingMs > 0 && remainingMs < lockMs + clockSkewMs) {
    return { kind: 'locked', retryAfterSeconds: remainingMs / 1000 };
  }
  const counted = triedAt.filter((time) => {
    const ageMs = msBetween(time, now);
    return ageMs < windowMs && ageMs > -clockSkewMs;
  });
  const tries = [...counted, now].slice(-maxTries);
  const locks = tries.length >= maxTries;
  return {
    kind: 'judge',
    locks,
    next: { triedAt: tries, lockedUntil: locks ? addMs(now, lockMs) : null },
  };
};
