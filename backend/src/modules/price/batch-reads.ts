/**
 * One read for all who ask at the same time, at most one at a time. Whoever asks while one is under
 * way waits for the next, so that nobody is told what was true before they asked.
 */
export const batchReads = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  let running: Promise<Value> | undefined;
  let waiting: Promise<Value> | undefined;

  const start = (): Promise<Value> => {
    waiting = undefined;
    const begun = read().finally(() => {
      if (running === begun) running = undefined;
    });
    running = begun;
    return begun;
  };

  return () => {
    if (running === undefined) return start();
    waiting ??= running.then(start, start);
    return waiting;
  };
};
