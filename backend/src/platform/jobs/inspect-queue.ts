import { selectRows, sql, selectOne, type Db } from '../db/index.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics, ObservedQueue } from '../observability/metrics.ts';

/** A queued, running or dead job. A job that has succeeded is deleted. */
export interface FoundJob {
  readonly id: string;
  readonly task: string;
  /** A `scheduled` job waits for a moment of the business clock. A `queued` job is due. */
  readonly status: 'scheduled' | 'queued' | 'running' | 'dead';
  readonly dueAt: Date;
  readonly attempts: number;
}

/** Finds the queued, running and dead jobs with any of these keys. */
export const findJobs = (db: Db, keys: readonly string[]): Promise<FoundJob[]> =>
  selectRows<FoundJob>(
    db,
    sql`
      select id::text, task, 'scheduled' as status, due_at as "dueAt", 0 as attempts
      from scheduled_job where key = any(${keys})
      union all
      select id::text, task_identifier, case
          when locked_at is not null then 'running'
          when attempts >= max_attempts then 'dead'
          else 'queued' end,
        run_at, attempts::int
      from graphile_worker.jobs where key = any(${keys})`,
  );

/**
 * Counts the waiting, scheduled and dead jobs, and measures by the database's clock how long the
 * oldest waits.
 */
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

/**
 * Creates the gauge that measures the queue whenever metrics are read. Each worker reports the
 * whole queue.
 */
export const createQueueGauge =
  ({ db, metrics, logger }: QueueGaugeOptions) =>
  async (): Promise<void> => {
    try {
      metrics.observeQueue(await readQueue(db));
    } catch (error) {
      logger.warn({ err: error }, 'the job queue could not be measured');
    }
  };
