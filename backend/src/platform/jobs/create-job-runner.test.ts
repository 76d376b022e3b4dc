import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { applicationRole, asRole } from '../../../dev/stack/database-setup.ts';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { jobsOf, retryNow, taskName, withJobRunner } from '#test/support/job-queue.ts';
import { createDatabase } from '../db/database.ts';
import { createLogger, createSilentLogger } from '../observability/logger.ts';
import { createJobRunner } from './create-job-runner.ts';
import { releaseDeadPools } from './jobs.sweeps.ts';
import { enqueue, type JobContext } from './enqueue.ts';
import { readQueue } from './inspect-queue.ts';

const logger = createSilentLogger();
const database = databaseOfFile();

const failing = async (): Promise<void> => {
  throw new Error('cannot reach +919876543210');
};

describe('job runner', () => {
  it('tries a failing job again and tells the handler which attempt it is', async () => {
    const task = taskName();
    const attempts: JobContext[] = [];
    const handler = async (_payload: unknown, context: JobContext): Promise<void> => {
      attempts.push(context);
      if (attempts.length === 1) throw new Error('not yet');
    };
    await withJobRunner(database().fresh.appUrl, { [task]: handler }, async () => {
      await enqueue(database().db, { task, payload: {}, maxAttempts: 5 });
      await eventually(async () => {
        await retryNow(database().db, task);
        return attempts.length === 2;
      });
    });
    expect(attempts.map(({ attempt, maxAttempts }) => [attempt, maxAttempts])).toEqual([
      [1, 5],
      [2, 5],
    ]);
  });

  it('shows a job that used up its attempts, its error scrubbed', async () => {
    const task = taskName();
    await withJobRunner(database().fresh.appUrl, { [task]: failing }, async () => {
      await enqueue(database().db, { task, payload: {}, maxAttempts: 1 });
      await eventually(async () => {
        const dead = await database().db.$queryRaw<{ last_error: string }[]>`
          select last_error from dead_letter_job where task = ${task}`;
        expect(dead).toEqual([{ last_error: 'Error: cannot reach [phone]' }]);
      });
    });
    expect((await readQueue(database().db)).dead).toBe(1);
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
      connections: database().connections,
      tasks: { [task]: handler },
      logger,
      concurrency: 1,
    });
    runner.start();
    await enqueue(database().db, { task, payload: {} });
    await enqueue(database().db, { task, payload: {} });
    await eventually(() => events.length === 1);
    const stopped = runner.stop().then(() => events.push('stopped'));
    expect(runner.isRunning()).toBe(false);
    gate.open();
    await stopped;
    expect(events).toEqual(['started', 'finished', 'stopped']);
    expect(await jobsOf(database().db, task)).toHaveLength(1);
  });

  it('goes on when the database cuts all its connections, in the middle of a job too', async () => {
    const task = taskName();
    const seen: unknown[] = [];
    const gate = createGate();
    const handler = async (payload: unknown): Promise<void> => {
      seen.push(payload);
      if (seen.length === 1) await gate.opened;
    };
    // The server itself: a pooler's connections belong to no worker.
    const direct = asRole(database().fresh.migrateUrl, applicationRole);
    await withJobRunner(direct, { [task]: handler }, async () => {
      await enqueue(database().db, { task, payload: { n: 1 } });
      await eventually(() => seen.length === 1);
      const cut = await database().db.$queryRaw<unknown[]>`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'job-%'`;
      expect(cut.length).toBeGreaterThanOrEqual(2);
      gate.open();
      await enqueue(database().db, { task, payload: { n: 2 } });
      await eventually(async () => {
        await releaseDeadPools(database().inTransaction, { graceSeconds: 1 });
        expect(await jobsOf(database().db, task)).toEqual([]);
      });
    });
    expect(seen).toContainEqual({ n: 2 });
  });

  it('takes jobs again after its first look at the queue failed', async () => {
    const task = taskName();
    const owner = createDatabase({
      url: database().fresh.migrateUrl,
      poolSize: 1,
      applicationName: 'owner',
    });
    let done = 0;
    const handler = async (): Promise<void> => {
      done += 1;
    };
    try {
      await owner.db.$executeRaw`revoke select on graphile_worker._private_tasks from dgs_app`;
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const runner = createJobRunner({
        connections: database().connections,
        tasks: { [task]: handler },
        logger: createLogger({ level: 'warn', name: 'test', destination }),
        pollIntervalMs: 50,
      });
      runner.start();
      await eventually(() => lines.some((line) => line.includes('jobs cannot be taken')));
      await owner.db.$executeRaw`grant select on graphile_worker._private_tasks to dgs_app`;
      await enqueue(database().db, { task, payload: {} });
      await eventually(() => done > 0);
      await runner.stop();
      expect(done).toBe(1);
    } finally {
      await owner.db.$executeRaw`grant select on graphile_worker._private_tasks to dgs_app`;
      await owner.close();
    }
  });

  it('runs jobs of one queue one after another', async () => {
    const task = taskName();
    let atOnce = 0;
    let most = 0;
    let count = 0;
    const handler = async (): Promise<void> => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await database().ping();
      atOnce -= 1;
      count += 1;
    };
    await withJobRunner(database().fresh.appUrl, { [task]: handler }, async () => {
      for (let n = 0; n < 4; n += 1) {
        await enqueue(database().db, { task, payload: { n }, queue: task });
      }
      await eventually(() => count === 4);
    });
    expect(most).toBe(1);
  });
});
