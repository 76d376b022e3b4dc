import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createGate } from '#test/support/gate.ts';
import { jobsOf, taskName } from '#test/support/job-queue.ts';
import { startPgbouncer, type Pgbouncer } from '#test/support/pgbouncer.ts';
import { toAppError } from '../http/error-middleware.ts';
import { createDatabase, type Database } from '../db/database.ts';
import { createSilentLogger } from '../observability/logger.ts';
import { createJobRunner } from './create-job-runner.ts';
import { releaseDeadPools } from './jobs.sweeps.ts';
import { enqueue, type TaskList } from './enqueue.ts';

const logger = createSilentLogger();
const noGrace = { graceSeconds: 0, silentSeconds: 3, suspectSeconds: 1 };

let fresh: FreshDatabase;
let pooler: Pgbouncer;
let folder: string;

const open = (poolSize: number, lockWaitMs?: number): Database => {
  const database = createDatabase({
    url: pooler.urlOf(fresh.appUrl),
    poolSize,
    applicationName: 'pooled',
    ...(lockWaitMs !== undefined && { contention: { lockWaitMs, callerOf: () => undefined } }),
  });
  onTestFinished(() => database.close());
  return database;
};
const startRunner = (tasks: TaskList): Database => {
  const database = open(2);
  const { connections } = database;
  const runner = createJobRunner({ connections, tasks, logger, concurrency: 4 });
  runner.start();
  onTestFinished(() => runner.stop());
  return database;
};
const holders = (database: Database) => database.db.$queryRaw<{ id: string }[]>`
  select distinct locked_by as id from graphile_worker._private_jobs
  where locked_by is not null order by 1`;

/** Locks every job and does something else while they are. */
const lockJobs = (database: Database, then: () => Promise<void>): Promise<void> =>
  database.inTransaction(async (tx) => {
    await tx.$queryRaw`select 1 from graphile_worker._private_jobs for update`;
    await then();
  });

describe('behind PgBouncer in transaction mode, with two connections', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'digital-gold-pooler-'));
    chmodSync(folder, 0o755);
    fresh = await freshDatabase();
    const settings = { default_pool_size: '2', query_wait_timeout: '60' };
    pooler = await startPgbouncer({ serverUrl: fresh.migrateUrl, folder, settings });
  });
  afterAll(async () => {
    await pooler.stop();
    await fresh.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('never frees the jobs of two workers that live, however full it is', async () => {
    const [task, gate] = [taskName(), createGate()];
    const started: number[] = [];
    const tasks: TaskList = {
      [task]: async (payload) => {
        started.push(Number(Reflect.get(Object(payload), 'n')));
        await gate.opened;
      },
    };
    const [one, other] = [startRunner(tasks), startRunner(tasks)];
    for (let n = 0; n < 8; n += 1) await enqueue(one.db, { task, payload: { n } });
    await eventually(() => started.length === 8);
    expect(await holders(one)).toHaveLength(2);

    // Both connections are taken again and again, while each worker looks for dead ones.
    const end = performance.now() + 12_000;
    const busy = async (database: Database): Promise<void> => {
      while (performance.now() < end) {
        await database.db.$executeRaw`select pg_sleep(0.4)`;
      }
    };
    const looks = async (database: Database): Promise<void> => {
      while (performance.now() < end) {
        expect(await releaseDeadPools(database.inTransaction, noGrace)).toBe(0);
      }
    };
    await Promise.all([one, one, other, other].map(busy).concat([looks(one), looks(other)]));
    expect(await holders(one)).toHaveLength(2);
    gate.open();
    await eventually(async () => (await jobsOf(one.db, task)).length === 0);
    expect(started.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('frees the jobs of one that is gone', async () => {
    const [task, gate] = [taskName(), createGate()];
    const database = open(2);
    await enqueue(database.db, { task, payload: {} });
    await database.db.$executeRaw`
      update graphile_worker._private_jobs set locked_by = 'pool-died', locked_at = now()`;
    await database.db.$executeRaw`
      insert into job_pool (id, beat_at) values ('pool-died', now() - interval '1 minute')`;
    startRunner({ [task]: async () => gate.open() });
    await eventually(async () => {
      expect(await releaseDeadPools(database.inTransaction, noGrace)).toBe(1);
    });
    await gate.opened;
  });

  it('lets nothing listen', async () => {
    const task = taskName();
    let done = 0;
    const handler = async (): Promise<void> => {
      done += 1;
    };
    const database = startRunner({ [task]: handler });
    for (let n = 1; n < 4; n += 1) {
      await enqueue(database.db, { task, payload: {} });
      await eventually(() => done === n);
    }
    const channels = await database.db.$queryRaw<unknown[]>`select pg_listening_channels()`;
    expect(channels).toEqual([]);
  });

  it('says how long a transaction waits for a row', async () => {
    const [holder, waiting] = [open(1), open(1, 200)];
    const task = taskName();
    await enqueue(holder.db, { task, payload: {} });
    await lockJobs(holder, async () => {
      const failure: unknown = await lockJobs(waiting, async () => {}).catch(
        (error: unknown) => error,
      );
      expect(toAppError(failure).code).toBe('BUSY');
    });
    // It belongs to that transaction, not to the session that the next one gets.
    const bounds = await holder.db.$queryRaw`select current_setting('lock_timeout') as bound`;
    expect(bounds).toEqual([{ bound: '0' }]);
  });
});
