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
 * Opens the reads that may be some seconds old: from the standby of `DATABASE_READ_URL` while it is
 * at most 30 s behind, else from the primary (docs/adr/0112-read-replica.md).
 */
export const openReads = (
  name: string,
  config: ProcessConfig & ProcessKeys,
  { database, logger, metrics: { registry }, timers }: ReadsDeps,
): StaleReads => {
  const { DATABASE_READ_URL: url } = config;
  if (url === undefined) return createPrimaryReads(database);
  const reads = new Counter({
    name: 'stale_reads_total',
    help: 'Reads of what may be some seconds old, by the server that answered.',
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
  const opened = createReplicaReads({
    primary: database,
    replica,
    onRead: (from) => reads.inc({ from }),
  });
  // Registered for its own sake.
  void new Gauge({
    name: 'database_replica_lag_seconds',
    help: 'Seconds by which the standby of DATABASE_READ_URL is behind, -1 where nobody knows.',
    registers: [registry],
    collect() {
      const lagMs = opened.lagMs();
      this.set(lagMs === undefined ? -1 : lagMs / 1000);
    },
  });
  return opened;
};
