import type { Client } from 'pg';
import type { JobContext, TaskList } from '../../../src/platform/jobs/index.ts';
import type { Logger } from '../../../src/platform/observability/index.ts';

interface JobRow {
  readonly id: string;
  readonly task: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly max_attempts: number;
}

const waitingSql = `
  SELECT j.id::text, t.identifier AS task, j.payload, j.attempts, j.max_attempts
  FROM graphile_worker._private_jobs j
  JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE j.locked_at IS NULL AND j.attempts < j.max_attempts
  ORDER BY j.priority, j.id`;

/** The result of a job's run, or undefined if no job waited. */
type JobRun = { readonly task: string; readonly error?: unknown } | undefined;

/** The worker's queue, whose jobs run one at a time and in the caller's order. */
export interface WorkQueue {
  /**
   * Runs the job at index `nth` of the queue, modulo its length. With `times` it runs the job
   * several times at once, each time on another replica of the worker.
   */
  runOne(nth: number, times?: number): Promise<JobRun>;
  /** Runs the first waiting job of this task. */
  runTask(task: string): Promise<JobRun>;
  /** Runs the first job of the queue repeatedly, until none waits or `maxRuns` jobs have run. */
  drain(maxRuns?: number): Promise<readonly JobRun[]>;
}

/**
 * Takes, ends and fails jobs as the queue's library does, with the library's columns. The library
 * itself would choose the time of a run, and wait in real time before it repeats a job.
 */
export const createWorkQueue = (options: {
  readonly client: Client;
  /** The jobs of each replica of the worker. */
  readonly tasks: () => readonly TaskList[];
  readonly logger: () => Logger;
}): WorkQueue => {
  const { client, tasks, logger } = options;

  const waiting = async (): Promise<readonly JobRow[]> =>
    (await client.query<JobRow>({ name: 'jobs-waiting', text: waitingSql })).rows;

  const contextOf = (job: JobRow): JobContext => ({
    logger: logger(),
    jobId: job.id,
    attempt: job.attempts + 1,
    maxAttempts: job.max_attempts,
    signal: new AbortController().signal,
  });

  const runJob = async (job: JobRow, times: number): Promise<JobRun> => {
    await client.query(
      `UPDATE graphile_worker._private_jobs
       SET locked_at = now(), locked_by = 'simulation', attempts = attempts + 1 WHERE id = $1`,
      [job.id],
    );
    const handlerOf = (run: number) => {
      const replicas = tasks();
      const handler = replicas[(Number(job.id) + run) % replicas.length]?.[job.task];
      if (handler === undefined) throw new Error(`no task is called ${job.task}`);
      return handler;
    };
    try {
      await Promise.all(
        Array.from({ length: times }, (_, run) => handlerOf(run)(job.payload, contextOf(job))),
      );
      await client.query(
        `DELETE FROM graphile_worker._private_jobs WHERE id = $1 AND locked_by = 'simulation'`,
        [job.id],
      );
      return { task: job.task };
    } catch (error) {
      await client.query(
        `UPDATE graphile_worker._private_jobs
         SET locked_at = NULL, locked_by = NULL, last_error = $2 WHERE id = $1`,
        [job.id, String(error)],
      );
      return { task: job.task, error };
    }
  };

  const runOne = async (nth: number, times = 1): Promise<JobRun> => {
    const jobs = await waiting();
    const job = jobs[nth % Math.max(1, jobs.length)];
    return job === undefined ? undefined : runJob(job, times);
  };

  return {
    runOne,
    async runTask(task) {
      const job = (await waiting()).find((one) => one.task === task);
      return job === undefined ? undefined : runJob(job, 1);
    },
    async drain(maxRuns = 200) {
      const runs: JobRun[] = [];
      while (runs.length < maxRuns) {
        const run = await runOne(0);
        if (run === undefined) return runs;
        runs.push(run);
      }
      return runs;
    },
  };
};
