import { once } from 'node:events';
import type { Server } from 'node:http';
import { createTerminus } from '@godaddy/terminus';
import { createTimers, type Timers } from '../clock/timers.ts';
import type { Logger } from '../observability/logger.ts';
import { createReadiness, type ReadinessCheck, type ReadinessReport } from './readiness.ts';
import { createShutdown, type Closer } from './create-shutdown.ts';

interface LifecycleServer {
  /** As messages name it. */
  readonly name: string;
  readonly server: Server;
  readonly host: string;
  readonly port: number;
}

export interface LifecycleOptions {
  /** The API and the internal server; a process without an API has only the internal one. */
  readonly servers: readonly LifecycleServer[];
  readonly checks: readonly ReadinessCheck[];
  readonly logger: Logger;
  /**
   * The limit of the whole shutdown, a little under the pod's grace; then the process exits with 1.
   */
  readonly graceMs: number;
  /** The time in which requests are still served after the signal, until the endpoint has left. */
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

export interface Lifecycle {
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
 * The life of a process with one or more servers (contract: conventions > Shutdown): `/healthz` and
 * `/readyz` on each, and on SIGTERM or SIGINT: readiness off, wait for the endpoint to leave, stop
 * taking work, finish what runs, close in order, exit 0.
 */
export const createLifecycle = (options: LifecycleOptions): Lifecycle => {
  const { servers, checks, logger, graceMs, drainDelayMs } = options;
  const { timers = createTimers() } = options;
  const shutdown = createShutdown({ ...options, serverCount: servers.length, timers });
  const readiness = createReadiness({ checks, isDraining: shutdown.isDraining, logger });
  const readyz = async (): Promise<ReadinessReport> => {
    const report = await readiness();
    if (report.status !== 'ok') throw new NotReadyError(report);
    return report;
  };
  // The rest of the grace time is for requests in progress, less a part for closing.
  const requestGraceMs = Math.max(1000, graceMs - drainDelayMs - 3000);

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
      // A draining process is alive; only readiness reports that it drains.
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
