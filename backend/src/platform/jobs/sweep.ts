/** Periodic work of the worker: it looks for rows that need something, and does it. */
export interface Sweep {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * Declares periodic work. `everyMs` is real time; what is due is decided by `run`, with the
 * business clock. `run` must bear being run twice at a time: the lock only saves work. `signal`
 * aborts when the process stops or the lock is lost; stop at the next good moment then.
 */
export const createSweep = (sweep: Sweep): Sweep => {
  if (!/^[a-z][a-z0-9-]{1,63}$/u.test(sweep.name)) throw new Error(`bad sweep name ${sweep.name}`);
  if (!(sweep.everyMs >= 100)) throw new Error(`sweep ${sweep.name} is too frequent`);
  return sweep;
};
