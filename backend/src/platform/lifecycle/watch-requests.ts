import type { Server } from 'node:http';

/**
 * Paths that checks and scrapers request as long as a process listens. They are not requests of
 * clients.
 */
const checkedPaths = new Set(['/', '/healthz', '/readyz', '/metrics', '/switches']);

interface RequestWatch {
  /** Records the time of each request of a server from now on. */
  watch(server: Server): void;
  /** Returns the milliseconds since the last request of a client. */
  idleMs(): number;
}

/**
 * Creates a watch that records the time of the last request of a client to any server of the
 * process.
 */
export const createRequestWatch = (): RequestWatch => {
  let lastAt = -Infinity;
  return {
    watch(server) {
      server.prependListener('request', ({ url = '' }) => {
        const [path = ''] = url.split('?', 1);
        if (!checkedPaths.has(path)) lastAt = performance.now();
      });
    },
    idleMs: () => performance.now() - lastAt,
  };
};

interface DrainTimes {
  /** The time for which requests are served in any case. */
  readonly drainDelayMs: number;
  /** The time limit of the whole shutdown. */
  readonly graceMs: number;
}

/**
 * Returns the longest extra time for late requests, which is half of the grace after the delay. The
 * other half is for requests and jobs in progress.
 */
const extraDrainMs = ({ drainDelayMs, graceMs }: DrainTimes): number =>
  drainDelayMs === 0 ? 0 : Math.max(0, graceMs - drainDelayMs) / 2;

interface QuietOptions extends DrainTimes {
  readonly sleep: (ms: number) => Promise<void>;
  readonly idleMs: () => number;
  /** The time without a request after which no proxy sends requests here any more. */
  readonly quietMs?: number;
}

/**
 * Waits for the delay, and then until no request has come for a while, so that a proxy that removes
 * the process late can still send requests. A process without a delay is not behind a proxy.
 */
export const drainUntilQuiet = async (options: QuietOptions): Promise<void> => {
  const { drainDelayMs, sleep, idleMs, quietMs = 3000 } = options;
  await sleep(drainDelayMs);
  for (let remaining = extraDrainMs(options); remaining > 0;) {
    const missing = quietMs - idleMs();
    if (missing <= 0) return;
    const wait = Math.max(1, Math.min(missing, remaining));
    await sleep(wait);
    remaining -= wait;
  }
};
