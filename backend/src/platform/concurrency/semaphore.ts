export interface Semaphore {
  /**
   * Runs `work` when a place is free. Places are given in the order of the calls, but calls with
   * `goesFirst` go before the others. If `signal` aborts first, it rejects with the signal's reason
   * and does not run `work`.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal, goesFirst?: boolean): Promise<T>;
  /** The number of waiting calls. */
  readonly waiting: number;
}

/** Creates a semaphore that runs at most `places` pieces of work at a time. */
export const createSemaphore = (places: number): Semaphore => {
  if (!Number.isInteger(places) || places < 1) throw new Error('a semaphore needs a place');
  const [first, others] = [new Set<() => void>(), new Set<() => void>()];
  let free = places;

  const enter = async (signal: AbortSignal | undefined, goesFirst: boolean): Promise<void> => {
    const waiting = goesFirst ? first : others;
    signal?.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      waiting.add(start);
    });
  };
  // A place is passed directly to the next in line, so no other call can take it in between.
  const leave = (): void => {
    const [next] = first.size > 0 ? first : others;
    if (next === undefined) {
      free += 1;
      return;
    }
    first.delete(next);
    others.delete(next);
    next();
  };

  return {
    get waiting() {
      return first.size + others.size;
    },
    async run(work, signal, goesFirst = false) {
      await enter(signal, goesFirst);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
};
