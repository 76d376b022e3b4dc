import { clockSkewMs, type TryRule } from '../../platform/auth/counted-tries.ts';
import { addMs, msBetween } from '../../platform/clock/clock.ts';

/** The purpose of a code. Codes, sends and locks of each purpose are counted apart. */
export type CodePurpose = 'login' | 'mpin-reset' | 'deletion';

const minuteMs = 60_000;

export const codeLifeSeconds = 600;
export const sendWindowMs = 15 * minuteMs;
/** The window of the limits of sends for one address. */
export const addressWindowMs = 60 * minuteMs;
export const guessWindowMs = 30 * minuteMs;
const lockMs = 30 * minuteMs;

/** Locks a caller at the third wrong code for a phone and purpose. */
export const callerCodeRule: TryRule = { windowMs: guessWindowMs, maxTries: 3, lockMs };
/** Locks all callers that are not trusted devices at their tenth wrong code for a phone. */
export const strangersCodeRule: TryRule = { windowMs: guessWindowMs, maxTries: 10, lockMs };

const isWithin = (time: Date, now: Date, windowMs: number): boolean => {
  const ageMs = msBetween(time, now);
  return ageMs < windowMs && ageMs > -clockSkewMs;
};

/**
 * Returns the seconds until a send is allowed, or 0 if it is allowed now. `sends` has the times of
 * the earlier sends.
 */
export const secondsToNextSend = (sends: readonly Date[], limit: number, now: Date): number => {
  const recent = sends
    .filter((sentAt) => isWithin(sentAt, now, sendWindowMs))
    .toSorted((a, b) => msBetween(b, a));
  const blocking = recent[recent.length - limit];
  return blocking === undefined ? 0 : msBetween(now, addMs(blocking, sendWindowMs)) / 1000;
};
