import { once } from 'node:events';
import type { Server } from 'node:http';
import { createTerminus } from '@godaddy/terminus';
import type { Logger } from '../observability/logger.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import { createReadiness, type ReadinessCheck, type ReadinessReport } from './readiness.ts';
import { createRequestWatch, drainUntilQuiet } from './watch-requests.ts';

/**
 * After an uncaught error the process can't rely on its state: it logs the error, exits with 1 and
 * is restarted. Its work in progress is in the database.
 */
export const exitOnCrash = (logger: Logger): void => {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  process.on('unhandledRejection', (reason) => {
    logger.fatal({ err: reason }, 'unhandled rejection');
    process.exit(1);
  });
};

export interface Closer {
  readonly name: string;
  readonly close: () => Promise<unknown> | void;
}

interface ShutdownOptions {
  readonly logger: Logger;
  readonly graceMs: number;
  readonly drainDelayMs: number;
  readonly onDrain?: () => Promise<unknown>;
  readonly beforeStop?: () => Promise<unknown> | void;
  readonly closeInOrder: readonly Closer[];
  readonly serverCount: number;
  readonly timers: Timers;
  /** Returns the time since the last request of a client. */
  readonly idleMs: () => number;
  /** Cuts off the requests that are still in progress. */
  readonly cutRequests: () => void;
}

interface Shutdown {
  readonly isDraining: () => boolean;
  /** Drains all servers together. Resolves when they may stop. */
  readonly drain: () => Promise<void>;
  /** Is called by each server. The last one closes what they share. */
  readonly serverStopped: (name: string) => Promise<void>;
  /** Resolves when everything is closed. */
  readonly finished: () => Promise<void>;
}

/** The end of the grace, in which clients are closed and requests are over. */
const closingMs = 3000;

/** Runs the part of a shutdown that a process has once, however many servers it has. */
const createShutdown = (options: ShutdownOptions): Shutdown => {
  const { logger, graceMs, drainDelayMs, onDrain, beforeStop, closeInOrder, timers } = options;
  const { idleMs, cutRequests } = options;
  let drained: Promise<void> | undefined;
  let work: Promise<void> = Promise.resolve();
  let left = options.serverCount;
  const finish: { resolve?: () => void } = {};
  const all = new Promise<void>((resolve) => {
    finish.resolve = resolve;
  });

  // A step that fails must not prevent the others.
  const attempt = async (name: string, step: () => Promise<unknown> | void): Promise<void> => {
    try {
      await step();
    } catch (error) {
      logger.error({ err: error, step: name }, 'a step of the shutdown failed');
    }
  };
  // The timer holds the process: with nothing else left to wait for, work that never ends would
  // otherwise let it end quietly, with 0 and nothing closed.
  const exitAtDeadline = (): void => {
    setTimeout(() => {
      logger.fatal({ graceMs }, 'the shutdown timed out');
      process.exit(1);
    }, graceMs);
    setTimeout(cutRequests, Math.max(1000, graceMs - closingMs)).unref();
  };
  const drain = async (): Promise<void> => {
    exitAtDeadline();
    logger.info({ drainDelayMs }, 'draining');
    if (onDrain !== undefined) work = attempt('drain', onDrain);
    await drainUntilQuiet({ graceMs, drainDelayMs, idleMs, sleep: (ms) => timers.sleep(ms) });
    if (beforeStop !== undefined) await attempt('before stop', beforeStop);
  };

  return {
    isDraining: () => drained !== undefined,
    drain: () => (drained ??= drain()),
    async serverStopped(name) {
      logger.info({ server: name }, 'server stopped');
      left -= 1;
      if (left > 0) return;
      await work;
      for (const { name: step, close } of closeInOrder) await attempt(step, close);
      logger.info('closed');
      finish.resolve?.();
    },
    finished: () => all,
  };
};

interface LifecycleServer {
  /** As messages name it. */
  readonly name: string;
  readonly server: Server;
  readonly host: string;
  readonly port: number;
}

interface LifecycleOptions {
  /** The API and the internal server. A process without an API has only the internal one. */
  readonly servers: readonly LifecycleServer[];
  readonly checks: readonly ReadinessCheck[];
  readonly logger: Logger;
  /**
   * The limit of the whole shutdown, a little under the pod's grace. Then the process exits with 1.
   */
  readonly graceMs: number;
  /**
   * The time for which requests are served after the signal in any case, until the endpoint is
   * removed. If requests still arrive, it continues for at most half of the remaining grace period.
   */
  readonly drainDelayMs: number;
  /** Runs at the signal: takes no more jobs, ends loops. Resolves when running work is done. */
  readonly onDrain?: () => Promise<unknown>;
  /**
   * After the delay, before the servers stop. Socket.IO's place: `io.engine.close()`, for
   * `io.close()` would close the server itself and long polls would hold the shutdown.
   */
  readonly beforeStop?: () => Promise<unknown> | void;
  /** Clients that requests and jobs used, closed one after another once all of them are done. */
  readonly closeInOrder: readonly Closer[];
  readonly timers?: Timers;
}

interface Lifecycle {
  /** Opens all servers. Rejects with the server's name and address when one is taken. */
  listen(): Promise<void>;
  readonly isDraining: () => boolean;
}

/** Thrown by a health check: terminus responds with its body. */
class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
  readonly statusCode = 503;
  readonly statusResponse: ReadinessReport;

  constructor(report: ReadinessReport) {
    super(`the process is ${report.status}`);
    this.statusResponse = report;
  }
}

/** Every limit is ours: an idle connection outlives a proxy's, which is the one to close it. */
const limitServer = (server: Server): void => {
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 20_000;
  server.requestTimeout = 60_000;
};

const open = async ({ name, server, host, port }: LifecycleServer): Promise<void> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`${name} can't listen on ${host}:${port}`, { cause: error });
  }
};

/**
 * Runs the life of a process with one or more servers (contract: conventions > Shutdown):
 * `/healthz` and `/readyz` on each, and on SIGTERM or SIGINT: readiness off, wait for the endpoint
 * to leave, stop taking work, finish what runs, close in order, exit 0.
 */
export const createLifecycle = (options: LifecycleOptions): Lifecycle => {
  const { servers, checks, logger, graceMs, drainDelayMs } = options;
  const { timers = createTimers() } = options;
  const requests = createRequestWatch();
  const shutdown = createShutdown({
    ...options,
    serverCount: servers.length,
    timers,
    idleMs: () => requests.idleMs(),
    cutRequests: () => {
      for (const { server } of servers) server.closeAllConnections();
    },
  });
  const readiness = createReadiness({ checks, isDraining: shutdown.isDraining, logger });
  const readyz = async (): Promise<ReadinessReport> => {
    const report = await readiness();
    if (report.status !== 'ok') throw new NotReadyError(report);
    return report;
  };
  // The rest of the grace time is for requests in progress, less a part for closing.
  const requestGraceMs = Math.max(1000, graceMs - drainDelayMs - closingMs);

  const attach = ({ name, server }: LifecycleServer): void => {
    limitServer(server);
    createTerminus(server, {
      healthChecks: {
        verbatim: true,
        '/healthz': async () => ({ status: 'ok', checks: {} }),
        '/readyz': readyz,
      },
      statusOkResponse: {},
      headers: { 'cache-control': 'no-store' },
      // A draining process is alive. Only readiness reports that it drains.
      sendFailuresDuringShutdown: false,
      signals: ['SIGTERM', 'SIGINT'],
      timeout: requestGraceMs,
      useExit0: true,
      beforeShutdown: shutdown.drain,
      onSignal: () => shutdown.serverStopped(name),
      // Terminus exits the process with the first server that is done, so none may be before all.
      onShutdown: shutdown.finished,
      logger: (message, error) => {
        if (!(error instanceof NotReadyError)) logger.error({ err: error }, message);
      },
    });
    requests.watch(server);
    // Kept-alive connections would stay until the server stops and lose a request that crosses.
    server.prependListener('request', (_req, res) => {
      if (shutdown.isDraining()) res.setHeader('connection', 'close');
    });
  };

  return {
    async listen() {
      for (const each of servers) attach(each);
      for (const each of servers) {
        await open(each);
        const { name, host, port } = each;
        logger.info({ server: name, host, port }, 'listening');
      }
    },
    isDraining: shutdown.isDraining,
  };
};
