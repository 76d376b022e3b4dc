import type { Db } from '../db/database.ts';
import { execute, sql } from '../db/sql.ts';
import { createRandom, type Random } from '../ids/random.ts';
import { isSecretKey } from '../observability/redact-keys.ts';
import {
  defaultMaxAttempts,
  keyedFlag,
  type JobRequest,
  type JsonObject,
  type JsonValue,
  type ScheduledJobRequest,
} from './job.types.ts';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Throws when a payload has a key of a secret or of something personal. Payloads are kept in the
 * clear and outlive a deletion (contract: identity-and-kyc > Personal data), so they name rows and
 * hold nothing else.
 */
const assertIdsOnly = (task: string, payload: JsonObject): void => {
  for (const [key, value] of Object.entries(payload)) {
    if (isSecretKey(key)) throw new Error(`the payload of ${task} must not hold "${key}"`);
    if (isObject(value)) assertIdsOnly(task, value);
  }
};

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
