import { selectRows, sql, type Db } from '../db/index.ts';

/** A job that waits, runs or was given up; one that has succeeded is gone. */
export interface FoundJob {
  readonly id: string;
  readonly task: string;
  /** `scheduled` waits for a moment of the business clock, `queued` is due. */
  readonly status: 'scheduled' | 'queued' | 'running' | 'dead';
  readonly dueAt: Date;
  readonly attempts: number;
}

/** Finds the jobs that wait or run under any of these keys, or were given up. */
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
