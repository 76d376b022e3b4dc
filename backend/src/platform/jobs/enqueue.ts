import type { Db } from '../db/database.ts';
import { execute, sql } from '../db/sql.ts';
import { assertIdsOnly } from './assert-ids-only.ts';
import { defaultMaxAttempts, keyedFlag, type JobRequest } from './job.types.ts';

/**
 * Puts a job that is due now on the queue, in the caller's transaction: it runs only after the
 * commit, and never after a rollback.
 */
export const enqueue = async (db: Db, job: JobRequest): Promise<void> => {
  const { task, payload, key = null, queue = null, maxAttempts = defaultMaxAttempts } = job;
  assertIdsOnly(task, payload);
  await execute(
    db,
    sql`
    select graphile_worker.add_job(
      ${task}::text, ${JSON.stringify(payload)}::json, queue_name := ${queue}::text,
      max_attempts := ${maxAttempts}::int, job_key := ${key}::text,
      flags := ${key === null ? null : [keyedFlag]}::text[])`,
  );
};
