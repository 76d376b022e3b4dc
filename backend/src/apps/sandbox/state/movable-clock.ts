import { addMs, msBetween, type Clock } from '../../../platform/clock/clock.ts';

/** The clock that every process with CLOCK_CONTROL follows (contract: collaborators > Time). */
export interface MovableClock extends Clock {
  /**
   * Returns the milliseconds by which it is ahead of real time. They are negative if it is behind.
   */
  offsetMs(): number;
  setOffsetMs(offsetMs: number): void;
  advanceSeconds(seconds: number): void;
  /** Sets the time to `date`, from which it continues. */
  set(date: Date): void;
  reset(): void;
}

/** Creates a clock that is `system` shifted by an offset. */
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
