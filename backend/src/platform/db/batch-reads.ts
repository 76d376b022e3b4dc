/**
 * Shares one read among concurrent callers, with at most one read in progress. A caller that comes
 * during a read waits for the next, so that no caller gets a result from before its call.
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
