import { once } from 'node:events';
import type { Server } from 'node:http';
import { createTerminus } from '@godaddy/terminus';
import type { Logger } from '../observability/logger.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import { createReadiness, type ReadinessCheck, type ReadinessReport } from './readiness.ts';
import { createRequestWatch, drainUntilQuiet } from './watch-requests.ts';

/**
 * Makes the process log an uncaught error, exit with 1 and be restarted, since it can't rely on its
 * state any more. Its work in progress is in the database.
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
  /** Is called when a server has stopped. The last call closes the shared clients. */
  readonly serverStopped: (name: string) => Promise<void>;
  /** Resolves when everything is closed. */
  readonly finished: () => Promise<void>;
}

/**
 * The last part of the grace time, in milliseconds. Clients are closed in it, and no request runs
 * any more.
 */
const closingMs = 3000;

/** Runs the part of a shutdown that all servers of a process share. */
const createShutdown = (options: ShutdownOptions): Shutdown => {
  const { logger, graceMs, drainDelayMs, onDrain, beforeStop, closeInOrder, timers } = options;
  const { idleMs, cutRequests } = options;
  let drained: Promise<void> | undefined;
  let work: Promise<void> = Promise.resolve();
  let remaining = options.serverCount;
  const finish: { resolve?: () => void } = {};
  const allClosed = new Promise<void>((resolve) => {
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
  // The timer keeps the process running. Otherwise, if work never ends and nothing else is waited
  // for, the process would end quietly with 0 and close nothing.
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
      remaining -= 1;
      if (remaining > 0) return;
      await work;
      for (const { name: step, close } of closeInOrder) await attempt(step, close);
      logger.info('closed');
      finish.resolve?.();
    },
    finished: () => allClosed,
  };
};

interface LifecycleServer {
  /** The name in messages. */
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
   * The time limit of the whole shutdown, a little under the pod's grace period. After it, the
   * process exits with 1.
   */
  readonly graceMs: number;
  /**
   * The time for which requests are served after the signal in any case, until the endpoint is
   * removed. If requests still arrive, they are served for at most half of the remaining grace
   * period.
   */
  readonly drainDelayMs: number;
  /**
   * Runs at the signal. It stops taking jobs, ends loops, and resolves when running work is done.
   */
  readonly onDrain?: () => Promise<unknown>;
  /**
   * Runs after the delay, before the servers stop. Socket.IO is closed here by `io.engine.close()`,
   * since `io.close()` would close the server itself, and long polls would delay the shutdown.
   */
  readonly beforeStop?: () => Promise<unknown> | void;
  /** Clients that requests and jobs used, closed one after another once all of them are done. */
  readonly closeInOrder: readonly Closer[];
  readonly timers?: Timers;
}

interface Lifecycle {
  /** Opens all servers. Rejects with a server's name and address if its address is taken. */
  listen(): Promise<void>;
  readonly isDraining: () => boolean;
}

/** Thrown by a health check. Terminus responds with its `statusResponse`. */
class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
  readonly statusCode = 503;
  readonly statusResponse: ReadinessReport;

  constructor(report: ReadinessReport) {
    super(`the process is ${report.status}`);
    this.statusResponse = report;
  }
}

/**
 * Sets every time limit of a server. An idle connection stays open longer than a proxy keeps it, so
 * that the proxy closes it.
 */
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
 * Runs the life of a process with one or more servers (contract: conventions > Shutdown). Each
 * server has `/healthz` and `/readyz`. On SIGTERM or SIGINT the process fails its readiness, waits
 * until its endpoint is removed, stops taking work, finishes running work, closes its clients in
 * order and exits with 0.
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
      // Terminus exits the process when the first server is done, so each server waits until all
      // are closed.
      onShutdown: shutdown.finished,
      logger: (message, error) => {
        if (!(error instanceof NotReadyError)) logger.error({ err: error }, message);
      },
    });
    requests.watch(server);
    // A kept-alive connection would stay until the server stops, and a request sent at that moment
    // would be lost.
    server.prependListener('request', (_req, res) => {
      if (shutdown.isDraining()) res.setHeader('connection', 'close');
    });
  };

  return {
    async listen() {
      for (const server of servers) attach(server);
      for (const server of servers) {
        await open(server);
        const { name, host, port } = server;
        logger.info({ server: name, host, port }, 'listening');
      }
    },
    isDraining: shutdown.isDraining,
  };
};
