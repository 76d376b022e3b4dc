export interface Semaphore {
  /** Runs `work` when a place is free; places are given in the order of asking. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** At most `places` pieces of work at a time. */
export const createSemaphore = (places: number): Semaphore => {
  if (!Number.isInteger(places) || places < 1) throw new Error('a semaphore needs a place');
  const waiting: (() => void)[] = [];
  let free = places;

  const enter = async (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  };
  // A place goes straight to the next in line, so nobody can slip in between.
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
};
