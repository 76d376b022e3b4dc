import type { Logger } from '../observability/logger.ts';
import type { Db } from '../db/database.ts';
import { execute, sql, type Sql } from '../db/sql.ts';
import { createRandom, type Random } from '../ids/random.ts';
import { isSecretKey } from '../observability/redact.ts';
import { currentTraceparent } from '../observability/tracing.ts';

type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** A job that is due now. Its payload contains only ids, because it is stored unencrypted. */
export interface JobRequest {
  readonly task: string;
  readonly payload: JsonObject;
  /** A job with the same key that has not started yet is replaced. */
  readonly key?: string;
  /** The number of attempts (default 25). After the last one the job is dead. */
  readonly maxAttempts?: number;
  /** The name of a queue. Jobs of the same queue run one after another. */
  readonly queue?: string;
  /** The priority. Due jobs with the lowest number run first (default 0). */
  readonly priority?: number;
}

/** A job that waits for a moment of the business clock. */
interface ScheduledJobRequest extends Omit<JobRequest, 'key' | 'priority'> {
  /** The key of the scheduled job. Scheduling the same key again replaces the job. */
  readonly key: string;
  readonly dueAt: Date;
}

export interface JobContext {
  readonly logger: Logger;
  readonly jobId: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborts when the process can't wait for the job any longer. */
  readonly signal: AbortSignal;
}

/**
 * Runs a job, at least once. A handler that throws is retried. It must parse the payload, which an
 * older version may have written.
 */
export type JobHandler = (payload: unknown, context: JobContext) => Promise<void>;

export type TaskList = Readonly<Record<string, JobHandler>>;

export const defaultMaxAttempts = 25;

/**
 * Marks a job that was queued under a key. When a job of its key is added while it runs, the queue
 * removes its key and its attempts. A marked job without a key was replaced, which is not the same
 * as dead.
 */
export const keyedFlag = 'keyed';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Throws if a key of a payload is a name of a secret or of personal data. Payloads are stored
 * unencrypted and outlive the deletion of an account (contract: identity-and-kyc > Personal data),
 * so they only identify rows.
 */
const assertIdsOnly = (task: string, payload: JsonObject): void => {
  for (const [key, value] of Object.entries(payload)) {
    if (isSecretKey(key)) throw new Error(`the payload of ${task} must not hold "${key}"`);
    if (isObject(value)) assertIdsOnly(task, value);
  }
};

/** Returns a payload that continues the trace of the caller, if there is one. */
const traced = (payload: JsonObject): JsonObject => {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? payload : { ...payload, traceparent };
};

/** Returns an expression that puts a job on the queue. A statement must evaluate it only once. */
export const addingJob = (job: JobRequest): Sql => {
  const { task, payload, key = null, queue = null } = job;
  const { maxAttempts = defaultMaxAttempts, priority = 0 } = job;
  assertIdsOnly(task, payload);
  return sql`graphile_worker.add_job(
    ${task}::text, ${JSON.stringify(traced(payload))}::json, queue_name := ${queue}::text,
    max_attempts := ${maxAttempts}::int, job_key := ${key}::text,
    priority := ${priority}::int,
    flags := ${key === null ? null : [keyedFlag]}::text[])`;
};

/**
 * Puts a job that is due now on the queue, in the caller's transaction. The job runs only after the
 * commit, and never after a rollback.
 */
export const enqueue = async (db: Db, job: JobRequest): Promise<void> => {
  await execute(db, sql`select ${addingJob(job)}`);
};

const systemRandom = createRandom();

/**
 * Stores a job until the business clock passes `dueAt`, in the caller's transaction. A row with the
 * same key is replaced. The job queue itself runs on the database's clock, so it gets only jobs
 * that are due (contract: collaborators > Time).
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
      (${random.uuid()}::uuid, ${key}, ${task}, ${JSON.stringify(traced(payload))}::jsonb,
       ${dueAt}::timestamptz, ${queue}, ${maxAttempts}::int, now())
    on conflict (key) do update set
      task = excluded.task, payload = excluded.payload, due_at = excluded.due_at,
      queue = excluded.queue, max_attempts = excluded.max_attempts`,
  );
};

/**
 * Cancels a scheduled job. Returns false if there is none, or if the job is already on the queue.
 */
export const cancelScheduled = async (db: Db, key: string): Promise<boolean> => {
  const { count } = await db.scheduledJob.deleteMany({ where: { key } });
  return count > 0;
};
