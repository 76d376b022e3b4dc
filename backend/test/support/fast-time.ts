import { addMs, createSystemClock, type Clock } from '../../src/platform/clock/clock.ts';
import { createTimers, type Timers } from '../../src/platform/clock/timers.ts';

/** Time that runs `factor` times as fast as the wall clock, from now on. */
export const createFastTime = (factor: number): { wall: Clock; timers: Timers } => {
  const start = createSystemClock().now();
  const startedAt = performance.now();
  const real = createTimers();
  return {
    wall: { now: () => addMs(start, Math.floor((performance.now() - startedAt) * factor)) },
    timers: { sleep: (ms, signal) => real.sleep(Math.max(0, ms / factor), signal) },
  };
};
