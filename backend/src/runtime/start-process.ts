import type { Server } from 'node:http';
import type { Environment } from '../platform/config/config.ts';
import { WrongSessionError } from '../platform/db/index.ts';
import { findMissing } from '../platform/db/migrations.ts';
import { createInternalServer } from '../platform/lifecycle/create-internal-server.ts';
import {
  createLifecycle,
  exitOnCrash,
  type Closer,
} from '../platform/lifecycle/create-lifecycle.ts';
import type { ReadinessCheck } from '../platform/lifecycle/readiness.ts';
import { readSwitches } from '../modules/settings/index.ts';
import { logFailedStart, redirectConsole } from '../platform/observability/index.ts';
import { pingRedis } from '../platform/redis/index.ts';
import type { Runtime } from './create-runtime.ts';
import type { ProcessConfig } from './load-config.ts';

interface ProcessParts {
  readonly runtime: Runtime;
  readonly config: ProcessConfig;
  /** The API. The worker has none. */
  readonly api?: { readonly server: Server; readonly port: number };
  /** The readiness checks of this process, in addition to those of every process. */
  readonly checks?: readonly ReadinessCheck[];
  /** Updates gauges before metrics are read. */
  readonly beforeMetrics?: () => Promise<void>;
  /** Stops taking work. Resolves when running work is done. */
  readonly onDrain?: () => Promise<unknown>;
  readonly beforeStop?: () => Promise<unknown> | void;
  /** The clients to close before the runtime's own clients. */
  readonly closeFirst?: readonly Closer[];
}

/**
 * Creates the check that the database has this build's migrations. Once it passes, it always does,
 * since migrations are only added.
 */
const createMigrationCheck = ({ database }: Runtime): (() => Promise<void>) => {
  let isComplete = false;
  return async () => {
    if (isComplete) return;
    const missing = await findMissing((statement) => database.connections.ask(statement));
    if (missing.length > 0) throw new Error(`missing migrations: ${missing.join(', ')}`);
    isComplete = true;
  };
};

/**
 * Throws if times would be read in a zone other than UTC, for example through a pooler that drops
 * startup parameters. If the database is not available yet, each connection is checked when it is
 * opened later.
 */
const checkSession = async ({ database }: Runtime): Promise<void> => {
  await database.connections.checkSession().catch((error: unknown) => {
    if (error instanceof WrongSessionError) throw error;
  });
};

/** The part of the grace period in which open work is abandoned and closed, in milliseconds. */
const closingMs = 8000;

/**
 * Opens the servers of a process, which answer its probes, and shuts it down in order at SIGTERM.
 */
export const startProcess = async (parts: ProcessParts): Promise<void> => {
  const { runtime, config, api, beforeMetrics, onDrain, beforeStop } = parts;
  const { logger, metrics, database, redis, switches } = runtime;
  exitOnCrash(logger);
  redirectConsole(logger);
  await checkSession(runtime);
  const internal = createInternalServer({
    metrics,
    logger,
    ...(beforeMetrics !== undefined && { beforeMetrics }),
    readSwitches: () => readSwitches(switches),
  });
  const host = config.HOST;
  const lifecycle = createLifecycle({
    servers: [
      ...(api === undefined ? [] : [{ name: 'api', server: api.server, host, port: api.port }]),
      { name: 'internal', server: internal, host, port: config.INTERNAL_PORT },
    ],
    checks: [
      { name: 'database', isRequired: true, check: () => database.ping() },
      { name: 'migrations', isRequired: true, check: createMigrationCheck(runtime) },
      { name: 'cache', isRequired: false, check: () => pingRedis(redis) },
      ...(parts.checks ?? []),
    ],
    logger,
    graceMs: config.SHUTDOWN_GRACE_MS,
    drainDelayMs: config.SHUTDOWN_DRAIN_MS,
    onDrain: async () => {
      database.connections.hurry(Math.max(1000, config.SHUTDOWN_GRACE_MS - closingMs));
      await onDrain?.();
    },
    ...(beforeStop !== undefined && { beforeStop }),
    closeInOrder: [...(parts.closeFirst ?? []), { name: 'clients', close: () => runtime.close() }],
  });
  await lifecycle.listen();
};

/**
 * Runs a process's `main`. If it fails, its error becomes a line of the log and the exit code is 1.
 */
export const runMain = async (
  name: string,
  main: (env: Environment) => Promise<void>,
): Promise<void> => {
  try {
    await main(process.env);
  } catch (error) {
    logFailedStart(name, error);
    process.exit(1);
  }
};
