import type { Clock } from '../clock/clock.ts';
import { createTimers, type Timers } from '../clock/timers.ts';
import type { Db } from '../db/database.ts';
import { selectOne, sql } from '../db/sql.ts';
import { createRandom, type Random } from '../ids/random.ts';
import type { Logger } from '../observability/logger.ts';
import { createLoop, type Loop } from './create-loop.ts';
import { defaultMaxAttempts, keyedFlag } from './enqueue.ts';

export interface ScheduleMover extends Loop {
  /** Moves all jobs that are due now. Returns their number. */
  tick(): Promise<number>;
}

export interface ScheduleMoverOptions {
  readonly db: Db;
  /** The business clock. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Real milliseconds between two passes (default 300). */
  readonly everyMs?: number;
  readonly batchSize?: number;
  readonly timers?: Timers;
  readonly random?: Random;
}

/**
 * Moves due rows in one statement, which is one transaction, so a row leaves the schedule exactly
 * when its job enters the queue. Rows that another mover has locked are skipped.
 */
const moveDue = async (db: Db, now: Date, batchSize: number): Promise<number> => {
  const row = await selectOne<{ moved: number }>(
    db,
    sql`
    with due as (
      delete from scheduled_job where id in (
        select id from scheduled_job where due_at <= ${now}::timestamptz
        order by due_at limit ${batchSize}::int for update skip locked)
      returning key, task, payload, queue, max_attempts)
    select count(added.id)::int as moved
    from due cross join lateral graphile_worker.add_job(
      due.task, due.payload::json, queue_name := due.queue,
      max_attempts := coalesce(due.max_attempts, ${defaultMaxAttempts}::int),
      job_key := due.key, flags := array[${keyedFlag}::text]) as added`,
  );
  return row?.moved ?? 0;
};

/**
 * Moves scheduled jobs to the queue when the business clock passes their time. Any number may run
 * concurrently. A clock that is set back only makes rows wait longer.
 */
export const createScheduleMover = (options: ScheduleMoverOptions): ScheduleMover => {
  const { db, clock, logger, everyMs = 300, batchSize = 100 } = options;
  const { timers = createTimers(), random = createRandom() } = options;

  const tick = async (): Promise<number> => {
    let total = 0;
    for (;;) {
      const moved = await moveDue(db, clock.now(), batchSize);
      total += moved;
      if (moved < batchSize) return total;
    }
  };
  const loop = createLoop({
    everyMs,
    jitterMs: everyMs / 3,
    run: tick,
    onError: (error) => logger.error({ err: error }, 'moving due jobs failed'),
    timers,
    random,
  });
  return { ...loop, tick };
};
