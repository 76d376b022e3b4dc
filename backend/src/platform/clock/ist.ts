import { addMs } from './clock.ts';

/** The business calendar uses IST, which is UTC+05:30 all year. */
const istOffsetMs = 330 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** Returns the calendar date in IST as `YYYY-MM-DD`. */
export const istDate = (date: Date): string => addMs(date, istOffsetMs).toISOString().slice(0, 10);

/** Returns the moment at which the IST day of `date` began. */
export const startOfIstDay = (date: Date): Date =>
  addMs(new Date(`${istDate(date)}T00:00:00.000Z`), -istOffsetMs);

/** Returns the moment at which the IST day of `date` ends and the next day begins. */
export const endOfIstDay = (date: Date): Date => addMs(startOfIstDay(date), dayMs);

/** Returns the moment at which the IST day `date` (`YYYY-MM-DD`) begins. */
export const startOfIstDate = (date: string): Date => new Date(`${date}T00:00:00.000+05:30`);

/** Returns the moment at which the IST day `date` (`YYYY-MM-DD`) ends and the next day begins. */
export const endOfIstDate = (date: string): Date => addMs(startOfIstDate(date), dayMs);
