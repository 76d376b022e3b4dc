import { randomUUID } from 'node:crypto';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { createConnections, type Db } from '../../src/platform/db/index.ts';
import { createJobRunner } from '../../src/platform/jobs/create-job-runner.ts';
import type { TaskList } from '../../src/platform/jobs/enqueue.ts';
import { createSilentLogger } from '../../src/platform/observability/logger.ts';

interface QueuedJob {
  readonly task: string;
  readonly key: string | null;
  readonly max_attempts: number;
}

/** The jobs of a task that are on the queue, oldest first. */
export const jobsOf = async (db: Db, task: string): Promise<QueuedJob[]> =>
  await db.$queryRaw<QueuedJob[]>`
    select task_identifier as task, key, max_attempts from graphile_worker.jobs
    where task_identifier = ${task} order by id`;

/** A task's name of the test's own, so that tests can share the queue. */
export const taskName = (): string => `test_${randomUUID()}`;

/** Makes failed jobs of a task due at once, instead of after their back-off. */
export const retryNow = async (db: Db, task: string): Promise<void> => {
  await db.$executeRaw`
    update graphile_worker._private_jobs set run_at = now()
    where locked_at is null and attempts > 0
      and task_id = (select id from graphile_worker._private_tasks where identifier = ${task})`;
};

/** Runs `work` while jobs of `tasks` are being taken. */
export const withJobRunner = async (
  databaseUrl: string,
  tasks: TaskList,
  work: () => Promise<void>,
): Promise<void> => {
  const logger = createSilentLogger();
  const timers = createTimers();
  const connections = createConnections({ url: databaseUrl, applicationName: 'jobs', timers });
  const runner = createJobRunner({
    connections,
    tasks,
    logger,
    concurrency: 2,
    pollIntervalMs: 100,
  });
  runner.start();
  try {
    await work();
  } finally {
    await runner.stop();
    connections.close();
  }
};
