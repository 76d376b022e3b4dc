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

/** A job that is due now. The payload holds ids only: it is kept in the clear. */
export interface JobRequest {
  readonly task: string;
  readonly payload: JsonObject;
  /** A job of this key that has not started yet is replaced, not doubled. */
  readonly key?: string;
  /** The number of attempts (default 25). After the last one the job is dead. */
  readonly maxAttempts?: number;
  /** Jobs of one queue run one after another. */
  readonly queue?: string;
  /** Of the jobs that are due, those with the lowest number run first (default 0). */
  readonly priority?: number;
}

/** A job that waits for a moment of the business clock. */
interface ScheduledJobRequest extends Omit<JobRequest, 'key' | 'priority'> {
  /** Names the wait: scheduling the same key again moves it. */
  readonly key: string;
  readonly dueAt: Date;
}

export interface JobContext {
  readonly logger: Logger;
  readonly jobId: string;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborts when the process can't wait for the job any longer. */
  readonly signal: AbortSignal;
}

/** Runs at least once. A throw is a retry. Parse the payload: it may be an older version's. */
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

/** Returns a payload that continues the trace of the caller, if there is one. */
const traced = (payload: JsonObject): JsonObject => {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? payload : { ...payload, traceparent };
};

/** Puts a job on the queue as a part of a statement: an expression that is evaluated once. */
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
 * Puts a job that is due now on the queue, in the caller's transaction: it runs only after the
 * commit, and never after a rollback.
 */
export const enqueue = async (db: Db, job: JobRequest): Promise<void> => {
  await execute(db, sql`select ${addingJob(job)}`);
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
      (${random.uuid()}::uuid, ${key}, ${task}, ${JSON.stringify(traced(payload))}::jsonb,
       ${dueAt}::timestamptz, ${queue}, ${maxAttempts}::int, now())
    on conflict (key) do update set
      task = excluded.task, payload = excluded.payload, due_at = excluded.due_at,
      queue = excluded.queue, max_attempts = excluded.max_attempts`,
  );
};

/** Cancels a scheduled job. Returns false when there was none, or it is on the queue already. */
export const cancelScheduled = async (db: Db, key: string): Promise<boolean> => {
  const { count } = await db.scheduledJob.deleteMany({ where: { key } });
  return count > 0;
};
