import { selectOne, sql, type Db } from '../db/index.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics, ObservedQueue } from '../observability/metrics.ts';

/** Measures the queue by the database's clock: what waits, how long, and what was given up. */
export const readQueue = async (db: Db): Promise<ObservedQueue> => {
  const row = await selectOne<ObservedQueue>(
    db,
    sql`
      select
        count(*) filter (where attempts < max_attempts)::int as waiting,
        coalesce(extract(epoch from now() - min(run_at) filter (where attempts < max_attempts)), 0)
          ::float8 as "oldestDueSeconds",
        (select count(*) from scheduled_job)::int as scheduled,
        (select count(*) from dead_letter_job)::int as dead
      from graphile_worker.jobs where locked_at is null and run_at <= now()`,
  );
  return row ?? { waiting: 0, scheduled: 0, dead: 0, oldestDueSeconds: 0 };
};

interface QueueGaugeOptions {
  readonly db: Db;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'observeQueue'>;
}

/** Measures the queue whenever metrics are read; each worker reports the whole fleet's. */
export const createQueueGauge =
  ({ db, metrics, logger }: QueueGaugeOptions) =>
  async (): Promise<void> => {
    try {
      metrics.observeQueue(await readQueue(db));
    } catch (error) {
      logger.warn({ err: error }, 'the job queue could not be measured');
    }
  };
