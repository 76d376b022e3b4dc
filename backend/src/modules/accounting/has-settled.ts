import { addMs } from '../../platform/clock/clock.ts';

/** No transaction takes as long: each is ended after 15 s, and begun again at most four times. */
const settlingMs = 2 * 60_000;

/**
 * Tells whether the books of a period that ended at `end` can be frozen: at midnight a transaction
 * may still be under way whose movements belong to the day before.
 */
export const hasSettled = (end: Date, now: Date): boolean => addMs(end, settlingMs) <= now;
