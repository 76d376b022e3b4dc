import { Logger, run, type Runner, type RunnerOptions } from 'graphile-worker';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import { enqueue } from '../../src/platform/jobs/index.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';

let fresh: FreshDatabase;
let app: Database;
let runner: Runner;
let pool: Pool;
const done: unknown[] = [];

beforeAll(async () => {
  fresh = await freshDatabase();
  app = createDatabase({ url: fresh.appUrl, poolSize: 2, applicationName: 'test' });
  pool = new Pool({ connectionString: fresh.appUrl });
  // A connection that is being closed may still be cut off as the database is dropped.
  pool.on('error', () => undefined);
  runner = await run({
    // The same class. The queue was only typed against an older version of its types.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    pgPool: pool as unknown as NonNullable<RunnerOptions['pgPool']>,
    concurrency: 2,
    noHandleSignals: true,
    pollInterval: 200,
    // As the worker's own behind a pooler, which gives each statement another session.
    noPreparedStatements: true,
    logger: new Logger(() => () => {}),
    taskList: {
      keep: (payload) => {
        done.push(payload);
      },
      fail: () => {
        throw new Error('no');
      },
    },
  });
});
afterAll(async () => {
  await runner.stop();
  await pool.end();
  await app.close();
  await fresh.drop();
});

interface DeadLetter {
  readonly task: string;
  readonly key: string;
  readonly last_error: string;
}

const deadLetters = (): Promise<DeadLetter[]> =>
  withConnection(fresh.appUrl, async (client) => {
    const result = await client.query<DeadLetter>(
      'SELECT task, key, last_error FROM dead_letter_job',
    );
    return result.rows;
  });

describe('the job queue, as the application role', () => {
  it('runs what a transaction put on it, in a queue of its own or not', async () => {
    await app.inTransaction(async (db) => {
      await enqueue(db, { task: 'keep', payload: { n: 1 } });
      await enqueue(db, { task: 'keep', payload: { n: 2 }, queue: 'line', key: 'k' });
    });
    await eventually(() => expect(done).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }])));
  });

  it('forgets what a rolled back transaction put on it', async () => {
    const failing = app.inTransaction(async (db) => {
      await enqueue(db, { task: 'keep', payload: { n: 3 } });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await enqueue(app.db, { task: 'keep', payload: { n: 4 } });
    await eventually(() => expect(done).toContainEqual({ n: 4 }));
    expect(done).not.toContainEqual({ n: 3 });
  });

  it('shows a job that used up its attempts as a dead letter', async () => {
    await enqueue(app.db, { task: 'fail', payload: {}, key: 'dead', maxAttempts: 1 });
    await eventually(async () =>
      expect(await deadLetters()).toEqual([{ task: 'fail', key: 'dead', last_error: 'no' }]),
    );
  });

  it('may not touch the record of its own migrations', async () => {
    const change = withConnection(fresh.appUrl, (client) =>
      client.query('DELETE FROM graphile_worker.migrations'),
    );
    await expect(change).rejects.toThrow(/permission denied/u);
  });
});
