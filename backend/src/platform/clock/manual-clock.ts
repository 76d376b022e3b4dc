import { addMs, type Clock } from './clock.ts';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  set(date: Date): void;
}

/** Creates a clock that stands still until it is set or advanced. */
export const createManualClock = (start = new Date('2026-01-05T04:00:00.000Z')): ManualClock => {
  let current = start;
  return {
    now: () => new Date(current),
    advance: (ms) => {
      current = addMs(current, ms);
    },
    set: (date) => {
      current = date;
    },
  };
};
