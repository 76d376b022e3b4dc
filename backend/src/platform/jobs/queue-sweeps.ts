import type { Db, InTransaction } from '../db/database.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics, ObservedQueue } from '../observability/metrics.ts';
import { releaseDeadPools } from './pool-liveness.ts';
import { createSweep, type Sweep } from './sweep.ts';

/** How the queue stands, by the database's clock. */
export const readQueue = async (db: Db): Promise<ObservedQueue> => {
  const [row] = await db.$queryRaw<ObservedQueue[]>`
    select
      count(*) filter (where attempts < max_attempts)::int as waiting,
      coalesce(extract(epoch from now() - min(run_at) filter (where attempts < max_attempts)), 0)
        ::float8 as "oldestDueSeconds",
      (select count(*) from scheduled_job)::int as scheduled,
      (select count(*) from dead_letter_job)::int as dead
    from graphile_worker.jobs where locked_at is null and run_at <= now()`;
  return row ?? { waiting: 0, scheduled: 0, dead: 0, oldestDueSeconds: 0 };
};

interface QueueSweepsOptions {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'observeQueue'>;
}

/** What the queue needs done regularly: jobs of dead workers freed. For the worker's sweeps. */
export const createQueueSweeps = (options: QueueSweepsOptions): readonly Sweep[] => [
  createSweep({
    name: 'job-queue-dead-pools',
    everyMs: 5000,
    run: async () => {
      const pools = await releaseDeadPools(options.inTransaction);
      if (pools > 0) options.logger.warn({ pools }, 'freed the jobs of workers that died');
    },
  }),
];

/** Measures the queue whenever metrics are read; each worker tells of the whole fleet's. */
export const createQueueGauge =
  ({ db, metrics, logger }: Omit<QueueSweepsOptions, 'inTransaction'>) =>
  async (): Promise<void> => {
    try {
      metrics.observeQueue(await readQueue(db));
    } catch (error) {
      logger.warn({ err: error }, 'the job queue could not be measured');
    }
  };
