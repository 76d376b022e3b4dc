import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { eventually } from '#test/support/eventually.ts';
import { jobsOf, taskName, withJobRunner } from '#test/support/job-queue.ts';
import { enqueue, type JobRequest } from './enqueue.ts';

const database = databaseOfFile();

describe('enqueue', () => {
  it('runs the job once, after the commit', async () => {
    const task = taskName();
    const seen: unknown[] = [];
    await withJobRunner(
      database().fresh.appUrl,
      { [task]: async (payload) => void seen.push(payload) },
      async () => {
        await database().inTransaction(async (db) => {
          await enqueue(db, { task, payload: { orderId: 'o-1' } });
        });
        await eventually(() => seen.length === 1);
        await eventually(async () => (await jobsOf(database().db, task)).length === 0);
      },
    );
    expect(seen).toEqual([{ orderId: 'o-1' }]);
  });

  it('leaves nothing behind when the transaction rolls back', async () => {
    const task = taskName();
    const failed = database().inTransaction(async (db) => {
      await enqueue(db, { task, payload: {} });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await jobsOf(database().db, task)).toEqual([]);
  });

  it('replaces a waiting job of the same key', async () => {
    const task = taskName();
    await enqueue(database().db, { task, payload: { n: 1 }, key: task });
    await enqueue(database().db, { task, payload: { n: 2 }, key: task, maxAttempts: 3 });
    expect(await jobsOf(database().db, task)).toEqual([{ task, key: task, max_attempts: 3 }]);
  });

  it('runs jobs of a lower priority number first, whichever was put on the queue before', async () => {
    const task = taskName();
    const seen: unknown[] = [];
    const add = (name: string, more: Pick<JobRequest, 'priority'>): Promise<void> =>
      enqueue(database().db, { task, payload: { name }, queue: task, ...more });
    await add('late', { priority: 10 });
    await add('usual', {});
    await add('early', { priority: -1 });
    await withJobRunner(
      database().fresh.appUrl,
      { [task]: async (payload) => void seen.push(payload) },
      async () => {
        await eventually(() => seen.length === 3);
      },
    );
    expect(seen).toEqual([{ name: 'early' }, { name: 'usual' }, { name: 'late' }]);
  });

  it('refuses a payload with a secret or personal key', async () => {
    const job = { task: 'x', payload: { user: { phone: '+919876543210' } } };
    await expect(enqueue(database().db, job)).rejects.toThrow('must not hold "phone"');
  });
});
