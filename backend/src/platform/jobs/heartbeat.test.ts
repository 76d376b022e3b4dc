import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { jobsOf, taskName, withJobRunner } from '#test/support/job-queue.ts';
import { createTimers } from '../clock/timers.ts';
import { createSilentLogger } from '../observability/logger.ts';
import { releaseDeadPools } from './jobs.sweeps.ts';
import { enqueue } from './enqueue.ts';
import { startHeartbeat, type Heartbeat } from './heartbeat.ts';

const logger = createSilentLogger();
const database = databaseOfFile();

const lockAs = async (task: string, pool: string): Promise<void> => {
  await enqueue(database().db, { task, payload: {} });
  await database().db.$executeRaw`
    update graphile_worker._private_jobs set locked_by = ${pool},
           locked_at = now() - interval '1 minute'
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${task})`;
};
const lockedBy = async (task: string): Promise<(string | null)[]> => {
  const rows = await database().db.$queryRaw<{ locked_by: string | null }[]>`
    select locked_by from graphile_worker.jobs where task_identifier = ${task}`;
  return rows.map(({ locked_by: pool }) => pool);
};

const start = (poolId: string): Heartbeat => {
  const heartbeat = startHeartbeat({
    connections: database().connections,
    poolId,
    logger,
    timers: createTimers(),
  });
  onTestFinished(() => heartbeat.stop());
  return heartbeat;
};
const pools = (): Promise<string[]> =>
  database()
    .db.jobPool.findMany()
    .then((rows) => rows.map(({ id }) => id));
const hasBegun = (poolId: string): Promise<void> =>
  eventually(async () => expect(await pools()).toContain(poolId));
/** Moves what a pool said last into the past, and what was noted about it. */
const age = (poolId: string, seconds: number) => database().db.$executeRaw`
  update job_pool set beat_at = beat_at - make_interval(secs => ${seconds}::int),
    suspected_at = suspected_at - make_interval(secs => ${seconds}::int) where id = ${poolId}`;

describe('dead pools', () => {
  it('frees the jobs of a pool that is gone and leaves those of one that lives', async () => {
    const [gone, alive] = [taskName(), taskName()];
    await lockAs(gone, 'pool-gone');
    await lockAs(alive, 'pool-alive');
    const heartbeat = start('pool-alive');
    await hasBegun('pool-alive');
    expect(await releaseDeadPools(database().inTransaction)).toBe(1);
    expect(await lockedBy(gone)).toEqual([null]);
    expect(await lockedBy(alive)).toEqual(['pool-alive']);

    await heartbeat.stop();
    expect(await pools()).not.toContain('pool-alive');
    expect(await releaseDeadPools(database().inTransaction)).toBe(1);
    expect(await lockedBy(alive)).toEqual([null]);
  });

  it('frees those of one that died only when it was suspected and stayed silent', async () => {
    const task = taskName();
    await lockAs(task, 'pool-died');
    await database().db.$executeRaw`insert into job_pool (id, beat_at) values ('pool-died', now())`;
    expect(await releaseDeadPools(database().inTransaction)).toBe(0);
    // However long it was silent: the database may have been away for all that time.
    await age('pool-died', 600);
    expect(await releaseDeadPools(database().inTransaction)).toBe(0);
    expect(await lockedBy(task)).toEqual(['pool-died']);
    await age('pool-died', 6);
    expect(await releaseDeadPools(database().inTransaction)).toBe(1);
    expect(await lockedBy(task)).toEqual([null]);
  });

  it('clears a suspicion by the next life sign', async () => {
    const task = taskName();
    await lockAs(task, 'pool-late');
    await database().db.$executeRaw`
      insert into job_pool (id, beat_at) values ('pool-late', now() - interval '1 minute')`;
    expect(await releaseDeadPools(database().inTransaction)).toBe(0);
    await age('pool-late', 60);
    start('pool-late');
    await eventually(async () => {
      const row = await database().db.jobPool.findUniqueOrThrow({ where: { id: 'pool-late' } });
      expect(row.suspectedAt).toBeNull();
    });
    expect(await releaseDeadPools(database().inTransaction)).toBe(0);
    expect(await lockedBy(task)).toEqual(['pool-late']);
  });

  it('leaves the jobs of a worker of the version before, which holds a lock alone', async () => {
    const task = taskName();
    await lockAs(task, 'pool-before');
    await database().inTransaction(async (tx) => {
      await tx.$executeRaw`
        select pg_advisory_xact_lock(hashtextextended('job-pool:pool-before', 0))`;
      await releaseDeadPools(database().inTransaction);
      expect(await lockedBy(task)).toEqual(['pool-before']);
    });
    await releaseDeadPools(database().inTransaction);
    expect(await lockedBy(task)).toEqual([null]);
  });

  it('forgets a job that was replaced while a pool that is gone had it', async () => {
    const [replaced, given] = [taskName(), taskName()];
    await enqueue(database().db, { task: replaced, payload: {}, key: replaced });
    await enqueue(database().db, { task: given, payload: {}, maxAttempts: 1 });
    await database().db.$executeRaw`
      update graphile_worker._private_jobs
      set locked_by = 'pool-gone', locked_at = now() - interval '1 minute', attempts = 1
      where task_id in (select id from graphile_worker._private_tasks
        where identifier in (${replaced}, ${given}))`;
    await enqueue(database().db, { task: replaced, payload: {}, key: replaced });
    expect(await jobsOf(database().db, replaced)).toHaveLength(2);
    await releaseDeadPools(database().inTransaction);
    expect(await jobsOf(database().db, replaced)).toMatchObject([{ key: replaced }]);
    const dead = await database().db.$queryRaw<{ task: string }[]>`
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
    await withJobRunner(database().fresh.appUrl, { [task]: handler }, async () => {
      await enqueue(database().db, { task, payload: {} });
      await eventually(() => isStarted);
      const [pool = null] = await lockedBy(task);
      expect(pool).toMatch(/^pool-/u);
      await hasBegun(pool ?? '');
      expect(await releaseDeadPools(database().inTransaction, { graceSeconds: 0 })).toBe(0);
      expect(await lockedBy(task)).toEqual([pool]);
      gate.open();
      await eventually(async () => (await jobsOf(database().db, task)).length === 0);
    });
  });
});
