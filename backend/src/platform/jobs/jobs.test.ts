import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '../../../test/support/fresh-database.ts';
import { createGate } from '../../../test/support/gate.ts';
import { addSeconds } from '../clock/clock.ts';
import { createManualClock } from '../clock/manual-clock.ts';
import { createTimers } from '../clock/timers.ts';
import { createDatabase, type Database } from '../db/database.ts';
import { createSilentLogger } from '../observability/logger.ts';
import { createJobRunner } from './create-job-runner.ts';
import { createScheduleMover } from './create-schedule-mover.ts';
import { enqueue } from './enqueue.ts';
import type { JobContext, TaskList } from './job.types.ts';
import { releaseDeadPools, showLife } from './pool-liveness.ts';
import { readQueue } from './queue-sweeps.ts';
import { cancelScheduled, schedule } from './schedule.ts';

const logger = createSilentLogger();
let fresh: FreshDatabase;
let database: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = createDatabase({ url: fresh.appUrl, poolSize: 5, applicationName: 'jobs-test' });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const withRunner = async (tasks: TaskList, work: () => Promise<void>): Promise<void> => {
  const runner = createJobRunner({ databaseUrl: fresh.appUrl, tasks, logger, concurrency: 2 });
  runner.start();
  try {
    await work();
  } finally {
    await runner.stop();
  }
};

interface WaitingJob {
  readonly task: string;
  readonly key: string | null;
  readonly max_attempts: number;
}

const jobsOf = async (task: string): Promise<WaitingJob[]> =>
  await database.db.$queryRaw<WaitingJob[]>`
    select task_identifier as task, key, max_attempts from graphile_worker.jobs
    where task_identifier = ${task} order by id`;

/** A name of the test's own, so that tests can share the queue. */
const taskName = (): string => `test_${randomUUID()}`;

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

const failing = async (): Promise<void> => {
  throw new Error('cannot reach +919876543210');
};

describe('enqueue', () => {
  it('runs the job once, after the commit', async () => {
    const task = taskName();
    const seen: unknown[] = [];
    await withRunner({ [task]: async (payload) => void seen.push(payload) }, async () => {
      await database.inTransaction(async (db) => {
        await enqueue(db, { task, payload: { orderId: 'o-1' } });
      });
      await eventually(() => seen.length === 1);
      await eventually(async () => (await jobsOf(task)).length === 0);
    });
    expect(seen).toEqual([{ orderId: 'o-1' }]);
  });

  it('leaves nothing behind when the transaction rolls back', async () => {
    const task = taskName();
    const failed = database.inTransaction(async (db) => {
      await enqueue(db, { task, payload: {} });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await jobsOf(task)).toEqual([]);
  });

  it('replaces a waiting job of the same key', async () => {
    const task = taskName();
    await enqueue(database.db, { task, payload: { n: 1 }, key: task });
    await enqueue(database.db, { task, payload: { n: 2 }, key: task, maxAttempts: 3 });
    expect(await jobsOf(task)).toEqual([{ task, key: task, max_attempts: 3 }]);
  });

  it('refuses a payload with a secret or personal key', async () => {
    const job = { task: 'x', payload: { user: { phone: '+919876543210' } } };
    await expect(enqueue(database.db, job)).rejects.toThrow('must not hold "phone"');
  });
});

describe('job runner', () => {
  it('tries a failing job again and tells the handler which attempt it is', async () => {
    const task = taskName();
    const attempts: JobContext[] = [];
    const handler = async (_payload: unknown, context: JobContext): Promise<void> => {
      attempts.push(context);
      if (attempts.length === 1) throw new Error('not yet');
    };
    await withRunner({ [task]: handler }, async () => {
      await enqueue(database.db, { task, payload: {}, maxAttempts: 5 });
      await eventually(() => attempts.length === 2);
    });
    expect(attempts.map(({ attempt, maxAttempts }) => [attempt, maxAttempts])).toEqual([
      [1, 5],
      [2, 5],
    ]);
  });

  it('shows a job that used up its attempts, its error scrubbed', async () => {
    const task = taskName();
    await withRunner({ [task]: failing }, async () => {
      await enqueue(database.db, { task, payload: {}, maxAttempts: 1 });
      await eventually(async () => {
        const dead = await database.db.$queryRaw<{ last_error: string }[]>`
          select last_error from dead_letter_job where task = ${task}`;
        expect(dead).toEqual([{ last_error: 'Error: cannot reach [phone]' }]);
      });
    });
    expect((await readQueue(database.db)).dead).toBe(1);
  });

  it('finishes the job under way before it stops, and takes no other', async () => {
    const task = taskName();
    const gate = createGate();
    const events: string[] = [];
    const handler = async (): Promise<void> => {
      events.push('started');
      await gate.opened;
      events.push('finished');
    };
    const runner = createJobRunner({
      databaseUrl: fresh.appUrl,
      tasks: { [task]: handler },
      logger,
      concurrency: 1,
    });
    runner.start();
    await enqueue(database.db, { task, payload: {} });
    await enqueue(database.db, { task, payload: {} });
    await eventually(() => events.length === 1);
    const stopped = runner.stop().then(() => events.push('stopped'));
    expect(runner.isRunning()).toBe(false);
    gate.open();
    await stopped;
    expect(events).toEqual(['started', 'finished', 'stopped']);
    expect(await jobsOf(task)).toHaveLength(1);
  });

  it('runs jobs of one queue one after another', async () => {
    const task = taskName();
    let atOnce = 0;
    let most = 0;
    let count = 0;
    const handler = async (): Promise<void> => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await database.ping();
      atOnce -= 1;
      count += 1;
    };
    await withRunner({ [task]: handler }, async () => {
      for (let n = 0; n < 4; n += 1) {
        await enqueue(database.db, { task, payload: { n }, queue: task });
      }
      await eventually(() => count === 4);
    });
    expect(most).toBe(1);
  });
});

describe('schedule', () => {
  const start = new Date('2026-03-01T00:00:00.000Z');
  const due = addSeconds(start, 90);

  it('moves a job to the queue when the business clock passes its time', async () => {
    const task = taskName();
    const clock = createManualClock(start);
    const mover = createScheduleMover({ db: database.db, clock, logger });
    await schedule(database.db, { task, payload: {}, key: task, dueAt: due, maxAttempts: 2 });
    expect(await mover.tick()).toBe(0);
    clock.advance(89_999);
    expect(await mover.tick()).toBe(0);
    clock.advance(1);
    expect(await mover.tick()).toBe(1);
    expect(await mover.tick()).toBe(0);
    expect(await jobsOf(task)).toEqual([{ task, key: task, max_attempts: 2 }]);
  });

  it('moves the wait when it is scheduled again, and forgets it when cancelled', async () => {
    const task = taskName();
    const clock = createManualClock(due);
    const mover = createScheduleMover({ db: database.db, clock, logger });
    const later = addSeconds(due, 60);
    await schedule(database.db, { task, payload: {}, key: task, dueAt: due });
    await schedule(database.db, { task, payload: {}, key: task, dueAt: later });
    expect(await mover.tick()).toBe(0);
    expect(await cancelScheduled(database.db, task)).toBe(true);
    expect(await cancelScheduled(database.db, task)).toBe(false);
    clock.set(addSeconds(later, 1));
    expect(await mover.tick()).toBe(0);
  });

  it('moves each row once, however many movers there are, over several batches', async () => {
    const task = taskName();
    const clock = createManualClock(due);
    const keys = Array.from({ length: 25 }, (_, n) => `${task}-${n}`);
    for (const key of keys) {
      await schedule(database.db, { task, payload: {}, key, dueAt: start });
    }
    const movers = Array.from({ length: 3 }, () =>
      createScheduleMover({ db: database.db, clock, logger, batchSize: 4 }),
    );
    const moved = await Promise.all(movers.map((mover) => mover.tick()));
    // A row that another mover holds is passed over, so one of them may end early.
    moved.push(...(await Promise.all(movers.map((mover) => mover.tick()))));
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(25);
    const queued = (await jobsOf(task)).map(({ key }) => key);
    expect(queued).toHaveLength(25);
    expect(new Set(queued)).toEqual(new Set(keys));
  });

  it('moves by itself once started', async () => {
    const task = taskName();
    const clock = createManualClock(start);
    const mover = createScheduleMover({ db: database.db, clock, logger, everyMs: 20 });
    await schedule(database.db, { task, payload: {}, key: task, dueAt: due });
    mover.start();
    clock.set(due);
    await eventually(async () => expect(await jobsOf(task)).toHaveLength(1));
    await mover.stop();
  });
});

describe('dead pools', () => {
  it('frees the jobs of a pool that is gone and leaves those of one that lives', async () => {
    const [gone, alive] = [taskName(), taskName()];
    await lockAs(gone, 'pool-gone');
    await lockAs(alive, 'pool-alive');
    const life = showLife({
      databaseUrl: fresh.appUrl,
      poolId: 'pool-alive',
      logger,
      timers: createTimers(),
    });
    const locks = async (): Promise<number> => {
      const rows = await database.db.$queryRaw<unknown[]>`
        select 1 as held from pg_locks where locktype = 'advisory' and granted`;
      return rows.length;
    };
    await eventually(async () => (await locks()) === 1);
    expect(await releaseDeadPools(database.inTransaction)).toBe(1);
    expect(await lockedBy(gone)).toEqual([null]);
    expect(await lockedBy(alive)).toEqual(['pool-alive']);

    await life.release();
    expect(await releaseDeadPools(database.inTransaction)).toBe(1);
    expect(await lockedBy(alive)).toEqual([null]);
  });

  it('takes a running job of a living runner for what it is', async () => {
    const task = taskName();
    const gate = createGate();
    let isStarted = false;
    const handler = async (): Promise<void> => {
      isStarted = true;
      await gate.opened;
    };
    await withRunner({ [task]: handler }, async () => {
      await enqueue(database.db, { task, payload: {} });
      await eventually(() => isStarted);
      await eventually(async () => {
        const life = await database.db.$queryRaw<unknown[]>`
          select 1 as held from pg_locks where locktype = 'advisory' and granted`;
        return life.length === 1;
      });
      expect(await releaseDeadPools(database.inTransaction, 0)).toBe(0);
      expect(await lockedBy(task)).toEqual([expect.stringMatching(/^pool-/u)]);
      gate.open();
      await eventually(async () => (await jobsOf(task)).length === 0);
    });
  });
});
