import type { Db, InTransaction } from '../../src/platform/db/index.ts';
import type { JobContext, TaskList } from '../../src/platform/jobs/index.ts';
import type { Logger } from '../../src/platform/observability/index.ts';

interface QueuedRow {
  readonly id: bigint;
  readonly task: string;
  readonly payload: unknown;
}

interface Deps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly logger: Logger;
}

/** Takes every job off the queue, oldest first. */
const takeAll = ({ inTransaction }: Deps): Promise<QueuedRow[]> =>
  inTransaction(async (tx) => {
    const rows = await tx.$queryRaw<QueuedRow[]>`
      SELECT j.id, t.identifier AS task, j.payload::jsonb AS payload
      FROM graphile_worker._private_jobs j
      JOIN graphile_worker._private_tasks t ON t.id = j.task_id
      ORDER BY j.id FOR UPDATE OF j`;
    for (const { id } of rows) {
      await tx.$executeRaw`DELETE FROM graphile_worker._private_jobs WHERE id = ${id}::bigint`;
    }
    return rows;
  });

const contextOf = ({ logger }: Pick<Deps, 'logger'>, jobId: bigint): JobContext => ({
  logger,
  jobId: String(jobId),
  attempt: 1,
  maxAttempts: 25,
  signal: new AbortController().signal,
});

/** Runs one job at once, which need not be queued. */
export const runJob = async (
  deps: Pick<Deps, 'logger'>,
  tasks: TaskList,
  task: string,
  payload: unknown,
): Promise<void> => {
  const handle = tasks[task];
  if (handle === undefined) throw new Error(`no job is called ${task}`);
  await handle(payload, contextOf(deps, 0n));
};

/**
 * Runs the queued jobs one after another until none is left. Each runs once, even if it throws (the
 * queue's retries are tested elsewhere). Returns the thrown errors.
 */
export const runQueuedJobs = async (deps: Deps, tasks: TaskList): Promise<readonly unknown[]> => {
  const thrown: unknown[] = [];
  for (;;) {
    const jobs = await takeAll(deps);
    if (jobs.length === 0) return thrown;
    for (const { id, task, payload } of jobs) {
      try {
        await tasks[task]?.(payload, contextOf(deps, id));
      } catch (error) {
        thrown.push(error);
      }
    }
  }
};
