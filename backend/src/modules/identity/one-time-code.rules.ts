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

/** Locks a caller, for a phone and purpose, at the third wrong code. */
export const callerCodeRule: TryRule = { windowMs: guessWindowMs, maxTries: 3, lockMs };
/** Locks all callers of a phone that are no trusted devices, for all purposes, at the tenth. */
export const strangersCodeRule: TryRule = { windowMs: guessWindowMs, maxTries: 10, lockMs };

const isWithin = (at: Date, now: Date, windowMs: number): boolean => {
  const ageMs = msBetween(at, now);
  return ageMs < windowMs && ageMs > -clockSkewMs;
};

/**
 * Returns the seconds until a send is allowed, 0 when it is now. `sentAt` are the earlier sends.
 */
export const secondsToNextSend = (sentAt: readonly Date[], limit: number, now: Date): number => {
  const recent = sentAt
    .filter((at) => isWithin(at, now, sendWindowMs))
    .toSorted((a, b) => msBetween(b, a));
  const blocking = recent[recent.length - limit];
  return blocking === undefined ? 0 : msBetween(now, addMs(blocking, sendWindowMs)) / 1000;
};
