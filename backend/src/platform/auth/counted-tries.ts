import { addMs, msBetween } from '../clock/clock.ts';

const minuteMs = 60_000;

/** The window in which tries are counted, their limit, and how long a lock lasts. */
export interface TryRule {
  readonly windowMs: number;
  readonly maxTries: number;
  readonly lockMs: number;
}

/** The rule of passwords and MPINs (contract: limits > Sign-in limits). */
const secretRule: TryRule = { windowMs: 15 * minuteMs, maxTries: 5, lockMs: 30 * minuteMs };

/**
 * Tolerates another process's clock this far ahead of ours. Times further ahead were written before
 * the clock was set back. They are ignored, since they could lock a user for days.
 */
export const clockSkewMs = 60_000;

/** The tries of a secret since its last success, and the lock. */
export interface CountedTries {
  readonly triedAt: readonly Date[];
  readonly lockedUntil: Date | null;
}

/** The verdict on a try before its secret is looked at. */
type Verdict =
  | { readonly kind: 'judge'; readonly locks: boolean; readonly next: CountedTries }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

/**
 * Counts a try at `now` as wrong, until it proves right. The try that reaches the limit is still
 * checked.
 */
export const countTry = (
  { triedAt, lockedUntil }: CountedTries,
  now: Date,
  { windowMs, maxTries, lockMs }: TryRule = secretRule,
): Verdict => {
  const leftMs = lockedUntil === null ? 0 : msBetween(now, lockedUntil);
  if (leftMs > 0 && leftMs < lockMs + clockSkewMs) {
    return { kind: 'locked', retryAfterSeconds: leftMs / 1000 };
  }
  const counted = triedAt.filter((at) => {
    const ageMs = msBetween(at, now);
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
