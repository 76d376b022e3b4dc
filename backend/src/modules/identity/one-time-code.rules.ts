import { clockSkewMs } from '../../platform/auth/counted-tries.ts';
import { addMs, msBetween } from '../../platform/clock/clock.ts';

/** The purpose of a code. Codes, sends and locks of each purpose are counted apart. */
export type CodePurpose = 'login' | 'mpin-reset' | 'deletion';

/** Limits the sends for each phone within `sendWindowMs`. */
export const maxSends: Readonly<Record<CodePurpose, number>> = {
  login: 5,
  'mpin-reset': 5,
  deletion: 3,
};

const minuteMs = 60_000;

export const codeLength = 6;
export const codeLifeSeconds = 600;
export const sendWindowMs = 15 * minuteMs;
/** The windows of the limits of sends for one address, and of all sends. */
export const addressWindowMs = 60 * minuteMs;
export const totalWindowMs = minuteMs;
export const guessWindowMs = 30 * minuteMs;
export const lockMs = 30 * minuteMs;
/** The wrong code that locks. */
const maxWrongCodes = 3;

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

/** The wrong codes of one phone and purpose: at most the two newest, and the lock. */
export interface WrongCodes {
  readonly previousWrongAt: Date | null;
  readonly lastWrongAt: Date | null;
  readonly lockedUntil: Date | null;
}

/** Returns the seconds until the lock ends, 0 when there is none. */
export const secondsLocked = ({ lockedUntil }: WrongCodes, now: Date): number => {
  const leftMs = lockedUntil === null ? 0 : msBetween(now, lockedUntil);
  return leftMs > 0 && leftMs < lockMs + clockSkewMs ? leftMs / 1000 : 0;
};

/** Counts one more wrong code at `now`: the third within the window locks. */
export const afterWrongCode = (before: WrongCodes, now: Date): WrongCodes => {
  const counted = [before.previousWrongAt, before.lastWrongAt].filter(
    (at) => at !== null && isWithin(at, now, guessWindowMs),
  );
  const locks = counted.length + 1 >= maxWrongCodes;
  return {
    previousWrongAt: counted.at(-1) ?? null,
    lastWrongAt: now,
    lockedUntil: locks ? addMs(now, lockMs) : null,
  };
};

/** Clears the count after a right code. */
export const noWrongCodes: WrongCodes = {
  previousWrongAt: null,
  lastWrongAt: null,
  lockedUntil: null,
};
