import { addMs, msBetween, type Clock } from '../../../platform/clock/clock.ts';

/**
 * The one clock that every process follows where CLOCK_CONTROL is on (contract: collaborators >
 * Time).
 */
export interface MovableClock extends Clock {
  /** Milliseconds by which it is ahead of real time; negative when behind. */
  offsetMs(): number;
  setOffsetMs(offsetMs: number): void;
  advanceSeconds(seconds: number): void;
  /** Goes on ticking from `date`. */
  set(date: Date): void;
  reset(): void;
}

/** `system` shifted by an offset that can be moved. */
export const createMovableClock = (system: Clock): MovableClock => {
  let offsetMs = 0;
  return {
    now: () => addMs(system.now(), offsetMs),
    offsetMs: () => offsetMs,
    setOffsetMs(value) {
      offsetMs = value;
    },
    advanceSeconds(seconds) {
      offsetMs += Math.round(seconds * 1000);
    },
    set(date) {
      offsetMs = msBetween(system.now(), date);
    },
    reset() {
      offsetMs = 0;
    },
  };
};
