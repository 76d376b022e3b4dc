import type { Server } from 'node:http';

/**
 * Paths that checks and scrapers request as long as a process listens. They are not requests of
 * clients.
 */
const checkedPaths = new Set(['/', '/healthz', '/readyz', '/metrics', '/switches']);

interface RequestWatch {
  /** Notes each request of a server from now on. */
  watch(server: Server): void;
  /** Returns the milliseconds since the last request of a client. */
  idleMs(): number;
}

/** Creates the memory of the last request that a client sent to any server of the process. */
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
  /** Served in any case. */
  readonly drainDelayMs: number;
  /** Of the whole shutdown. */
  readonly graceMs: number;
}

/**
 * Half of the grace that is left after the delay. The rest is for requests and jobs in progress.
 */
const mayGoOnMs = ({ drainDelayMs, graceMs }: DrainTimes): number =>
  drainDelayMs === 0 ? 0 : Math.max(0, graceMs - drainDelayMs) / 2;

interface QuietOptions extends DrainTimes {
  readonly sleep: (ms: number) => Promise<void>;
  readonly idleMs: () => number;
  /** A proxy that still sent here would have sent something in this time. */
  readonly quietMs?: number;
}

/**
 * Waits for the delay, and then until no request has come for a while, so that a proxy that removes
 * the process late still reaches it. A process without a delay is not behind a proxy.
 */
export const drainUntilQuiet = async (options: QuietOptions): Promise<void> => {
  const { drainDelayMs, sleep, idleMs, quietMs = 3000 } = options;
  await sleep(drainDelayMs);
  for (let left = mayGoOnMs(options); left > 0;) {
    const missing = quietMs - idleMs();
    if (missing <= 0) return;
    const wait = Math.max(1, Math.min(missing, left));
    await sleep(wait);
    left -= wait;
  }
};
