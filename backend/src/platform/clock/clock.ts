/**
 * Business time: what expiries, retries, lockouts, schedules and token lives are measured with.
 * It can be moved where CLOCK_CONTROL is on, so nothing else in the code base asks for the time.
 */
export interface Clock {
  now(): Date;
}

/**
 * Real time, also in a process whose business clock can be moved (contract: collaborators > Time).
 */
export const createSystemClock = (): Clock => ({ now: () => new Date() });

/** `date` moved by `ms` milliseconds. */
export const addMs = (date: Date, ms: number): Date => new Date(date.getTime() + ms);

/** `date` moved by `seconds`. */
export const addSeconds = (date: Date, seconds: number): Date => addMs(date, seconds * 1000);

/**
 * Returns the milliseconds, with fractions, from `from` to `to`. They are negative when `to` is
 * earlier.
 */
export const msBetween = (from: Date, to: Date): number => to.getTime() - from.getTime();
