/** Ends the sandbox's waiting work in the background when the sandbox stops or is reset. */
export interface BackgroundWork {
  /**
   * Returns a signal that aborts at the next reset or stop. Take a new signal for each piece of
   * work.
   */
  signal(): AbortSignal;
  /** Ends the running work. New work may start. */
  restart(): void;
  end(): void;
}

/** Creates the scope of the work that waits in the background. */
export const createBackgroundWork = (): BackgroundWork => {
  let current = new AbortController();
  let ended = false;
  return {
    signal: () => current.signal,
    restart() {
      current.abort();
      if (!ended) current = new AbortController();
    },
    end() {
      ended = true;
      current.abort();
    },
  };
};
