/** What hangs or waits in the background ends when the sandbox stops or is reset. */
export interface BackgroundWork {
  /** Aborted at the next reset or stop; ask anew for each piece of work. */
  signal(): AbortSignal;
  /** Ends the work under way; new work may start. */
  restart(): void;
  end(): void;
}

/** A backgroundWork that can be started over. */
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
