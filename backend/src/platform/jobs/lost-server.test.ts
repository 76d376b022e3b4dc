import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createGate } from '#test/support/gate.ts';
import { taskName } from '#test/support/job-queue.ts';
import { createTimers } from '../clock/timers.ts';
import { createDatabase, type Database } from '../db/index.ts';
import { createMetrics } from '../observability/index.ts';
import { createSilentLogger } from '../observability/logger.ts';
import { createJobRunner } from './create-job-runner.ts';
import { enqueue, type TaskList } from './enqueue.ts';
import { createStandstill } from './standstill.ts';

/** Work goes on within this time of the new server's first answer. */
const backInTime = { timeoutMs: 15_000 };
const timers = createTimers();
const logger = createSilentLogger();
let fresh: FreshDatabase;
/** Reaches the database whatever becomes of the server in between. */
let database: Database;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = createDatabase({ url: fresh.appUrl, poolSize: 2, applicationName: 'test-of-jobs' });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const open = async (tasks: TaskList, abortAfterMs = 10_000) => {
  const between = await openCuttableServer(fresh.databaseUrl);
  const lost = createDatabase({ url: between.url, poolSize: 1, applicationName: 'lost-jobs' });
  const { connections } = lost;
  const runner = createJobRunner({ connections, tasks, logger, concurrency: 3, abortAfterMs });
  const standstill = createStandstill({
    connections,
    runner,
    tasks: Object.keys(tasks),
    registry: createMetrics({ service: 'test', collectsDefaults: false }).registry,
    logger,
    limitSeconds: 2,
  });
  onTestFinished(async () => {
    await runner.stop();
    await lost.close();
    await between.close();
  });
  return { between, runner, standstill, lost };
};

/** Waits until the server has ended what it did for connections that vanished. */
const untilServerHasNobody = () =>
  withConnection(fresh.databaseUrl, (client) =>
    eventually(async () => {
      const { rows } = await client.query(`
        SELECT application_name FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'
          AND pid <> pg_backend_pid() AND application_name NOT LIKE 'test-of-jobs%'`);
      expect(rows).toEqual([]);
    }),
  );

it('the job runner does jobs again soon after a server that vanished is replaced', async () => {
  const task = taskName();
  let done = 0;
  const { between, runner } = await open({
    [task]: async () => {
      done += 1;
    },
  });
  runner.start();
  await enqueue(database.db, { task, payload: {} });
  await eventually(() => done === 1);

  between.vanish();
  // A job that a connection takes as it is lost has tests of its own (heartbeat.test.ts).
  await untilServerHasNobody();
  await enqueue(database.db, { task, payload: {} });
  // Its workers ask for jobs now, and wait for what never comes.
  await timers.sleep(3000);
  expect(done).toBe(1);
  between.reappear();
  await eventually(() => done === 2, backInTime);
});

it('the job runner is not ready when jobs wait and it does none', async () => {
  const task = taskName();
  const { runner, standstill } = await open({ [task]: async () => {} });
  await standstill.check();
  await enqueue(database.db, { task, payload: {} });
  await eventually(async () => {
    await expect(standstill.check()).rejects.toThrow('this worker has done none');
  });
  runner.start();
  await eventually(() => standstill.check());
});

it('the job runner leaves to other workers what they alone can do', async () => {
  const { runner, standstill } = await open({ [taskName()]: async () => {} });
  await enqueue(database.db, { task: taskName(), payload: {} });
  await eventually(() => runner.msSinceProgress() > 2500);
  await expect(standstill.check()).resolves.toBeUndefined();
});

it('the job runner stops in time beside a job that never ends', async () => {
  const task = taskName();
  const begun = createGate();
  const handler = (): Promise<void> => {
    begun.open();
    return new Promise<void>(() => {});
  };
  const { runner } = await open({ [task]: handler }, 200);
  runner.start();
  await enqueue(database.db, { task, payload: {} });
  await begun.opened;
  const stopped = runner.stop().then(() => 'stopped');
  expect(await Promise.race([stopped, timers.sleep(10_000)])).toBe('stopped');
});

it('the job runner stops in time while the server is gone', async () => {
  const task = taskName();
  const listens = createGate();
  const { between, runner, lost } = await open({ [task]: async () => listens.open() }, 1000);
  runner.start();
  await enqueue(database.db, { task, payload: {} });
  await listens.opened;
  between.vanish();
  lost.connections.hurry();
  const stopped = runner.stop().then(() => 'stopped');
  expect(await Promise.race([stopped, timers.sleep(10_000)])).toBe('stopped');
});

it('the job runner stops in order where the queue listens and has had no answer', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const task = taskName();
  const works = createGate();
  const { between, runner, lost } = await open({ [task]: async () => works.open() }, 1000);
  between.loseAt('LISTEN "jobs:insert"');
  runner.start();
  await enqueue(database.db, { task, payload: {} });
  await works.opened;
  between.vanish();
  lost.connections.hurry();
  await runner.stop();
  await lost.close();
  expect(uncaught).toEqual([]);
});
