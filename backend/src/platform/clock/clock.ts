/**
 * Business time, by which expiries, retries, lockouts, schedules and token lifetimes are measured.
 * It can be moved if CLOCK_CONTROL is on, so all other code reads the time from a Clock.
 */
export interface Clock {
  now(): Date;
}

/**
 * Creates a clock of real time. It never moves, even in a process whose business clock can be moved
 * (contract: collaborators > Time).
 */
export const createSystemClock = (): Clock => ({ now: () => new Date() });

/** Returns `date` moved by `ms` milliseconds. */
export const addMs = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

/** Returns `date` moved by `seconds`. */
export const addSeconds = (date: Date, seconds: number): Date => addMs(date, seconds * 1000);

/**
 * Returns the milliseconds, with fractions, from `from` to `to`. They are negative when `to` is
 * earlier.
 */
export const msBetween = (from: Date, to: Date): number => to.getTime() - from.getTime();
