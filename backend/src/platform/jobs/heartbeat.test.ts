import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createGate } from '#test/support/gate.ts';
import { jobsOf, taskName, withJobRunner } from '#test/support/job-queue.ts';
import { createTimers } from '../clock/timers.ts';
import { createDatabase, type Database } from '../db/database.ts';
import { createSilentLogger } from '../observability/logger.ts';
import { enqueue } from './enqueue.ts';
import { releaseDeadPools, startHeartbeat } from './heartbeat.ts';

const logger = createSilentLogger();
let fresh: FreshDatabase;
let database: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = createDatabase({ url: fresh.appUrl, poolSize: 5, applicationName: 'test-of-jobs' });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const lockAs = async (task: string, pool: string): Promise<void> => {
  await enqueue(database.db, { task, payload: {} });
  await database.db.$executeRaw`
    update graphile_worker._private_jobs set locked_by = ${pool},
           locked_at = now() - interval '1 minute'
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${task})`;
};
const lockedBy = async (task: string): Promise<(string | null)[]> => {
  const rows = await database.db.$queryRaw<{ locked_by: string | null }[]>`
    select locked_by from graphile_worker.jobs where task_identifier = ${task}`;
  return rows.map(({ locked_by: pool }) => pool);
};

/** Of this database: the server is shared with other test files. */
const heartbeats = async (): Promise<number> => {
  const rows = await database.db.$queryRaw<unknown[]>`
    select 1 as held from pg_locks
    where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.length;
};

describe('dead pools', () => {
  it('frees the jobs of a pool that is gone and leaves those of one that lives', async () => {
    const [gone, alive] = [taskName(), taskName()];
    await lockAs(gone, 'pool-gone');
    await lockAs(alive, 'pool-alive');
    const heartbeat = startHeartbeat({
      connections: database.connections,
      poolId: 'pool-alive',
      logger,
      timers: createTimers(),
    });
    await eventually(async () => (await heartbeats()) === 1);
    expect(await releaseDeadPools(database.inTransaction)).toBe(1);
    expect(await lockedBy(gone)).toEqual([null]);
    expect(await lockedBy(alive)).toEqual(['pool-alive']);

    await heartbeat.stop();
    expect(await releaseDeadPools(database.inTransaction)).toBe(1);
    expect(await lockedBy(alive)).toEqual([null]);
  });

  it('forgets a job that was replaced while a pool that is gone had it', async () => {
    const [replaced, given] = [taskName(), taskName()];
    await enqueue(database.db, { task: replaced, payload: {}, key: replaced });
    await enqueue(database.db, { task: given, payload: {}, maxAttempts: 1 });
    await database.db.$executeRaw`
      update graphile_worker._private_jobs
      set locked_by = 'pool-gone', locked_at = now() - interval '1 minute', attempts = 1
      where task_id in (select id from graphile_worker._private_tasks
        where identifier in (${replaced}, ${given}))`;
    await enqueue(database.db, { task: replaced, payload: {}, key: replaced });
    expect(await jobsOf(database.db, replaced)).toHaveLength(2);
    await releaseDeadPools(database.inTransaction);
    expect(await jobsOf(database.db, replaced)).toMatchObject([{ key: replaced }]);
    const dead = await database.db.$queryRaw<{ task: string }[]>`
      select task from dead_letter_job where task in (${replaced}, ${given})`;
    expect(dead).toEqual([{ task: given }]);
  });

  it('takes a running job of a living runner for what it is', async () => {
    const task = taskName();
    const gate = createGate();
    let isStarted = false;
    const handler = async (): Promise<void> => {
      isStarted = true;
      await gate.opened;
    };
    await withJobRunner(fresh.appUrl, { [task]: handler }, async () => {
      await enqueue(database.db, { task, payload: {} });
      await eventually(() => isStarted);
      await eventually(async () => (await heartbeats()) === 1);
      expect(await releaseDeadPools(database.inTransaction, 0)).toBe(0);
      expect(await lockedBy(task)).toEqual([expect.stringMatching(/^pool-/u)]);
      gate.open();
      await eventually(async () => (await jobsOf(database.db, task)).length === 0);
    });
  });
});
