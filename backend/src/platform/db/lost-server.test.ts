import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { rejectionCode } from '#test/support/rejection-code.ts';
import { applicationRole, asRole } from '../../../dev/stack/database-setup.ts';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createTimers } from '../clock/timers.ts';
import { createDatabase } from './index.ts';

/** Work goes on within this time of the new server's first answer. */
const backInTime = { timeoutMs: 15_000 };
const timers = createTimers();
let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const open = async (poolSize = 3) => {
  // The server itself: a pooler keeps sessions that began before a database was changed.
  const between = await openCuttableServer(asRole(fresh.migrateUrl, applicationRole));
  const database = createDatabase({ url: between.url, poolSize, applicationName: 'lost' });
  onTestFinished(async () => {
    await database.close();
    await between.close();
  });
  return { between, database };
};

describe('a server that vanishes without a word', () => {
  it('takes nothing with it: what was under way ends, and the next statement finds the new one', async () => {
    const { between, database } = await open();
    await Promise.all([1, 2, 3].map(() => database.db.scheduledJob.count()));
    await database.ping();

    between.vanish();
    const waiting = [
      rejectionCode(database.db.scheduledJob.count()),
      rejectionCode(database.inTransaction((db) => db.scheduledJob.count())),
    ];
    await expect(database.ping()).rejects.toThrow(/timeout|terminated/u);
    between.reappear();
    await eventually(() => database.ping(), backInTime);
    const ended = Promise.all(waiting);
    const late = timers.sleep(backInTime.timeoutMs).then(() => 'still waiting');
    expect(await Promise.race([ended, late])).toEqual([
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ]);
    expect(await database.db.scheduledJob.count()).toBe(0);
  });

  it('leaves idle connections behind that nobody gets', async () => {
    const { between, database } = await open();
    await Promise.all([1, 2, 3].map(() => database.db.scheduledJob.count()));
    await database.ping();
    between.vanish();
    await expect(database.ping()).rejects.toThrow(/timeout|terminated/u);
    between.reappear();
    await eventually(() => database.ping(), backInTime);
    await eventually(async () => {
      expect(await Promise.race([database.db.scheduledJob.count(), timers.sleep(1000)])).toBe(0);
    }, backInTime);
  });

  it('does not hold up the end of a process', async () => {
    const { between, database } = await open();
    await database.db.scheduledJob.count();
    between.vanish();
    const waiting = rejectionCode(database.db.scheduledJob.count());
    const closed = database.close().then(() => 'closed');
    expect(await Promise.race([closed, timers.sleep(6000)])).toBe('closed');
    expect(await waiting).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('one connection that is silent beside others', () => {
  it('is given up where the process is being stopped', async () => {
    const { between, database } = await open();
    await database.ping();
    between.loseAt('a statement without an answer');
    const waiting = rejectionCode(database.db.$queryRaw`SELECT 'a statement without an answer'`);
    database.connections.hurry(1000);
    const late = timers.sleep(backInTime.timeoutMs).then(() => 'still waiting');
    expect(await Promise.race([waiting, late])).toBe('SERVICE_UNAVAILABLE');
    await eventually(async () => {
      expect(await database.db.scheduledJob.count()).toBe(0);
    }, backInTime);
  });
});

const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
  const owner = new Client({ connectionString: fresh.migrateUrl });
  await owner.connect();
  const name = owner.escapeIdentifier(fresh.name);
  await owner.query('SET default_transaction_read_only = off');
  await owner.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly}`);
  await owner.end();
};
const write = (database: ReturnType<typeof createDatabase>, key: string): Promise<unknown> =>
  database.db.$executeRaw`
    INSERT INTO scheduled_job (id, key, task, due_at, created_at)
    VALUES (gen_random_uuid(), ${key}, 't', now(), now())`;

describe('a server that takes no writes', () => {
  it('is refused by readiness, a write is 503, and its connections are left', async () => {
    const { database } = await open(1);
    await setReadOnly(true);
    onTestFinished(() => setReadOnly(false));
    await expect(database.ping()).rejects.toThrow('takes no writes');
    expect(await rejectionCode(write(database, 'one'))).toBe('SERVICE_UNAVAILABLE');
    const inTransaction = database.inTransaction(
      (db) => db.$executeRaw`DELETE FROM scheduled_job WHERE key = 'none'`,
    );
    expect(await rejectionCode(inTransaction)).toBe('SERVICE_UNAVAILABLE');
    // Sessions keep what they began with: only new connections find that the server writes again.
    await setReadOnly(false);
    await write(database, 'two');
    await eventually(() => database.ping(), backInTime);
  });

  it('is left for the one that its address leads to', async () => {
    const { database } = await open(2);
    await setReadOnly(true);
    onTestFinished(() => setReadOnly(false));
    // Held open, they are not replaced by what their statements run into. Each waits for the other, so
    // that none is still being opened when the server is found to take no writes.
    let held = 0;
    await Promise.all(
      [1, 2].map(() =>
        database.inTransaction(async (tx) => {
          await tx.scheduledJob.count();
          held += 1;
          await eventually(() => held === 2, backInTime);
        }),
      ),
    );
    await expect(database.ping()).rejects.toThrow('takes no writes');
    await setReadOnly(false);
    await eventually(() => database.ping(), backInTime);
    await write(database, 'three');
  });
});
