/*
 * The dates of a plan, computed again from the contract (contract: plans > Schedule) without the
 * service's own code.
 */

export type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY';

const dayMs = 86_400_000;

/** The shortest period of each frequency, since a month may have 28 days. */
export const periodMs: Readonly<Record<Frequency, number>> = {
  DAILY: dayMs,
  WEEKLY: 7 * dayMs,
  MONTHLY: 28 * dayMs,
};

const partsOf = (day: string): [year: number, month: number, date: number] => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return [year, month - 1, date];
};

/** Returns the same day `months` months later, or the last day of that month if it is shorter. */
const monthsAfter = (day: string, months: number): string => {
  const [year, month, date] = partsOf(day);
  const last = new Date(Date.UTC(year, month + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month + months, Math.min(date, last))).toISOString().slice(0, 10);
};

const daysAfter = (day: string, days: number): string => {
  const [year, month, date] = partsOf(day);
  return new Date(Date.UTC(year, month, date + days)).toISOString().slice(0, 10);
};

/**
 * Returns the due time of a date of a schedule, which is 09:00 in India. `place` dates come before
 * it.
 */
export const dueAt = (
  { startDate, frequency }: { readonly startDate: string; readonly frequency: Frequency },
  place: number,
): number => {
  const day =
    frequency === 'MONTHLY'
      ? monthsAfter(startDate, place)
      : daysAfter(startDate, frequency === 'WEEKLY' ? 7 * place : place);
  return Date.parse(`${day}T09:00:00.000+05:30`);
};

const dayOf = (at: number): string => new Date(at + 5.5 * 3_600_000).toISOString().slice(0, 10);

/** Returns true for a time on a day in India that is more than a year ahead. */
export const isBeyondAYear = (at: number, now: number): boolean =>
  dayOf(at) > monthsAfter(dayOf(now), 12);
