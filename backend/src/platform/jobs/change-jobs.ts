import { execute, selectOne, selectRows, sql, type Db, type Sql } from '../db/index.ts';
import type { FoundJob } from './inspect-queue.ts';

export const jobStatuses = ['dead', 'running', 'queued', 'scheduled'] as const;

/** A job with the details that an operator needs. Its payload only identifies rows. */
export interface ListedJob extends FoundJob {
  readonly key: string | null;
  readonly maxAttempts: number | null;
  readonly lastError: string | null;
  readonly payload: unknown;
  readonly createdAt: Date;
}

/**
 * Matches a job that a newer job with the same key replaced. It has lost its key and all attempts,
 * so it would be listed as dead without this condition.
 */
const isReplaced: Sql = sql`
  (j.key IS NULL AND j.attempts >= j.max_attempts
    AND coalesce(jsonb_exists(j.flags, 'keyed'), false))`;

const conditions = {
  running: sql`j.locked_at IS NOT NULL`,
  dead: sql`j.locked_at IS NULL AND j.attempts >= j.max_attempts AND NOT ${isReplaced}`,
  queued: sql`j.locked_at IS NULL AND j.attempts < j.max_attempts`,
} as const;

const queueColumns = sql`
  j.id::text, t.identifier AS task, CASE
    WHEN j.locked_at IS NOT NULL THEN 'running'
    WHEN j.attempts >= j.max_attempts THEN 'dead'
    ELSE 'queued' END AS status,
  j.run_at AS "dueAt", j.attempts::int AS attempts, j.max_attempts::int AS "maxAttempts", j.key,
  j.last_error AS "lastError", j.payload::jsonb AS payload, j.created_at AS "createdAt"`;

const queueTables = sql`
  graphile_worker._private_jobs AS j
  JOIN graphile_worker._private_tasks AS t ON t.id = j.task_id`;

interface JobFilter {
  readonly status: (typeof jobStatuses)[number];
  readonly task?: string | undefined;
}

interface Slice {
  readonly offset: number;
  readonly limit: number;
}

const scheduledJobs = ({ task }: JobFilter): Sql => sql`
  FROM scheduled_job AS s WHERE ${task ?? null}::text IS NULL OR s.task = ${task ?? null}`;

const queuedJobs = ({ status, task }: JobFilter & { readonly status: keyof typeof conditions }) =>
  sql`FROM ${queueTables} WHERE ${conditions[status]}
    AND (${task ?? null}::text IS NULL OR t.identifier = ${task ?? null})`;

const listScheduled = (db: Db, filter: JobFilter, { offset, limit }: Slice) =>
  selectRows<ListedJob>(
    db,
    sql`
      SELECT s.id::text, s.task, 'scheduled' AS status, s.due_at AS "dueAt", 0 AS attempts,
        s.max_attempts AS "maxAttempts", s.key, NULL AS "lastError", s.payload,
        s.created_at AS "createdAt"
      ${scheduledJobs(filter)}
      ORDER BY s.due_at, s.id LIMIT ${limit}::int OFFSET ${offset}::int`,
  );

/**
 * Returns a page of the jobs of one status, and their total number. Scheduled jobs are ordered by
 * due time, all others by id.
 */
export const listJobs = async (
  db: Db,
  { status, task }: JobFilter,
  { offset, limit }: Slice,
): Promise<{ readonly rows: readonly ListedJob[]; readonly total: number }> => {
  const from =
    status === 'scheduled' ? scheduledJobs({ status, task }) : queuedJobs({ status, task });
  const counted = await selectOne<{ total: number }>(
    db,
    sql`SELECT count(*)::int AS total ${from}`,
  );
  const rows =
    status === 'scheduled'
      ? await listScheduled(db, { status, task }, { offset, limit })
      : await selectRows<ListedJob>(
          db,
          sql`SELECT ${queueColumns} ${from}
            ORDER BY j.id LIMIT ${limit}::int OFFSET ${offset}::int`,
        );
  return { rows, total: counted?.total ?? 0 };
};

/**
 * Locks a job in the queue until the transaction ends, and returns it. Workers skip the job until
 * then. Returns undefined if the job is done, or if a newer job with the same key replaced it.
 */
export const lockJob = (tx: Db, id: string): Promise<ListedJob | undefined> =>
  selectOne<ListedJob>(
    tx,
    sql`SELECT ${queueColumns} FROM ${queueTables}
      WHERE j.id = ${id}::bigint AND NOT ${isReplaced} FOR UPDATE OF j`,
  );

/** Makes a locked job that is not running due now, and gives it all of its attempts again. */
export const restartJob = async (tx: Db, id: string): Promise<void> => {
  await execute(
    tx,
    sql`SELECT id FROM graphile_worker.reschedule_jobs(
      ARRAY[${id}::bigint], run_at := now(), attempts := 0)`,
  );
};

/** Permanently removes from the queue a locked job that is not running. */
export const removeJob = async (tx: Db, id: string): Promise<void> => {
  await execute(tx, sql`SELECT id FROM graphile_worker.complete_jobs(ARRAY[${id}::bigint])`);
};
