import type { Db } from '../db/database.ts';
import { execute, sql } from '../db/sql.ts';
import { createRandom, type Random } from '../ids/random.ts';
import { assertIdsOnly } from './assert-ids-only.ts';
import type { ScheduledJobRequest } from './job.types.ts';

const systemRandom = createRandom();

/**
 * Keeps a job until the business clock passes `dueAt`, in the caller's transaction. A row of the
 * same key is replaced. The job queue itself runs on the database's clock, so it is given only
 * what is due (contract: collaborators > Time).
 */
export const schedule = async (
  db: Db,
  job: ScheduledJobRequest,
  random: Random = systemRandom,
): Promise<void> => {
  const { task, payload, key, dueAt, queue = null, maxAttempts = null } = job;
  assertIdsOnly(task, payload);
  await execute(
    db,
    sql`
    insert into scheduled_job
      (id, key, task, payload, due_at, queue, max_attempts, created_at)
    values
      (${random.uuid()}::uuid, ${key}, ${task}, ${JSON.stringify(payload)}::jsonb,
       ${dueAt}::timestamptz, ${queue}, ${maxAttempts}::int, now())
    on conflict (key) do update set
      task = excluded.task, payload = excluded.payload, due_at = excluded.due_at,
      queue = excluded.queue, max_attempts = excluded.max_attempts`,
  );
};

/** Cancels a scheduled job; false when there was none, or it is on the queue already. */
export const cancelScheduled = async (db: Db, key: string): Promise<boolean> => {
  const count = await execute(db, sql`delete from scheduled_job where key = ${key}`);
  return count > 0;
};
