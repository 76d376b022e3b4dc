import { addMs, msBetween } from '../../platform/clock/clock.ts';
import { clockSkewMs, lockMs } from './one-time-code.rules.ts';

/** Counts the tries of this time; the fifth locks (contract: limits > Sign-in limits). */
const windowMs = 15 * 60_000;
const maxTries = 5;

/** The tries of one phone's MPIN since the last right one, and the lock. */
export interface MpinTries {
  readonly triedAt: readonly Date[];
  readonly lockedUntil: Date | null;
}

/** The verdict on a try before its MPIN is looked at. */
export type MpinTry =
  | { readonly kind: 'judge'; readonly locks: boolean; readonly next: MpinTries }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

/**
 * Counts one more try at `now`, as a wrong one until it proves right: the fifth within the window
 * is still judged, and locks. Times further ahead than another process's clock can be are of before
 * the clock was set back, and count for nothing.
 */
export const countTry = ({ triedAt, lockedUntil }: MpinTries, now: Date): MpinTry => {
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
