import type { Config } from '../../platform/config/config.ts';
import { createConnections, type Connections } from '../../platform/db/index.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import type { workerVariables } from './worker.variables.ts';

/** The job queue's connections to the database. */
interface JobConnections {
  readonly connections: Connections;
  /** Stops waiting for a server that does not answer. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the job queue's connections, which bypass a pooler. Without JOBS_DATABASE_URL the queue
 * uses the process's connections.
 */
export const openJobConnections = (
  config: Pick<Config<typeof workerVariables>, 'JOBS_DATABASE_URL'>,
  { database, logger, timers }: Pick<Runtime, 'database' | 'logger' | 'timers'>,
): JobConnections => {
  const url = config.JOBS_DATABASE_URL;
  if (url === undefined) {
    return { connections: database.connections, stop: async () => {}, close: async () => {} };
  }
  const connections = createConnections({
    url,
    applicationName: 'worker jobs',
    timers,
    onReplaced: (reason) =>
      logger.warn({ reason }, 'all connections of the job queue are discarded'),
  });
  return {
    connections,
    stop: async () => connections.hurry(),
    close: async () => connections.close(),
  };
};
