import { addMs } from './clock.ts';

/** The business calendar uses IST, which is UTC+05:30 all year. */
const istOffsetMs = 330 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** The calendar date in IST as `YYYY-MM-DD`. */
export const istDate = (at: Date): string => addMs(at, istOffsetMs).toISOString().slice(0, 10);

/** The moment at which the IST day of `at` began. */
export const startOfIstDay = (at: Date): Date =>
  addMs(new Date(`${istDate(at)}T00:00:00.000Z`), -istOffsetMs);

/** The moment at which the IST day of `at` ends (the next one begins). */
export const endOfIstDay = (at: Date): Date => addMs(startOfIstDay(at), dayMs);

/** The moment at which the IST day `date` (`YYYY-MM-DD`) begins. */
export const startOfIstDate = (date: string): Date => new Date(`${date}T00:00:00.000+05:30`);

/** The moment at which the IST day `date` (`YYYY-MM-DD`) ends (the next one begins). */
export const endOfIstDate = (date: string): Date => addMs(startOfIstDate(date), dayMs);
