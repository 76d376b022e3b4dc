import { Counter, Gauge } from 'prom-client';
import type { Timers } from '../platform/clock/timers.ts';
import {
  createDatabase,
  createPrimaryReads,
  createReplicaReads,
  type Database,
  type StaleReads,
} from '../platform/db/index.ts';
import type { Logger, Metrics } from '../platform/observability/index.ts';
import type { ProcessConfig, ProcessKeys } from './load-config.ts';

interface ReadsDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly timers: Timers;
}

/**
 * Opens the connection for reads whose data may be some seconds old. They go to the standby of
 * `DATABASE_READ_URL` while it is at most 30 s behind, and otherwise to the primary
 * (docs/adr/0112-read-replica.md).
 */
export const openReads = (
  name: string,
  config: ProcessConfig & ProcessKeys,
  { database, logger, metrics: { registry }, timers }: ReadsDeps,
): StaleReads => {
  const { DATABASE_READ_URL: url } = config;
  if (url === undefined) return createPrimaryReads(database);
  const readCounter = new Counter({
    name: 'stale_reads_total',
    help: 'Reads that may be some seconds old, by the server that answered.',
    labelNames: ['from'],
    registers: [registry],
  });
  const replica = createDatabase({
    url,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: `${name} reads`,
    isStandby: true,
    onPoolError: (error) => logger.warn({ err: error }, 'a connection to the standby was lost'),
    onReplaced: (reason) => logger.warn({ reason }, "the standby's connections are given up"),
    timers,
  });
  const staleReads = createReplicaReads({
    primary: database,
    replica,
    onRead: (from) => readCounter.inc({ from }),
  });
  // The registry keeps the gauge and collects it. This function does not use it again.
  void new Gauge({
    name: 'database_replica_lag_seconds',
    help: 'Lag of the standby of DATABASE_READ_URL in seconds, -1 if it is unknown.',
    registers: [registry],
    collect() {
      const lagMs = staleReads.lagMs();
      this.set(lagMs === undefined ? -1 : lagMs / 1000);
    },
  });
  return staleReads;
};
