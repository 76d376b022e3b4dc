import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createGate } from '#test/support/gate.ts';
import { toAppError } from '../http/error-middleware.ts';
import { createRandom } from '../ids/random.ts';
import { describeError } from '../observability/index.ts';
import { createDatabase, isUniqueViolation, lockRow, sqlStateOf, type Database } from './index.ts';

const random = createRandom();
let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = createDatabase({ url: fresh.databaseUrl, poolSize: 6, applicationName: 'test' });
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const insert = (key: string) => ({
  data: { id: random.uuid(), key, task: 't', dueAt: new Date(0), createdAt: new Date(0) },
});

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return describeError(error).message;
};

describe('an error', () => {
  it('quotes none of the values that were to be written', async () => {
    const { data } = insert('of-a-customer');
    const unfit = await messageOf(
      database.db.scheduledJob.create({ data: { ...data, dueAt: new Date(Number.NaN) } }),
    );
    const broken = await messageOf(
      database.db.$executeRaw`
        INSERT INTO otp_code (id, phone_hash, purpose, code_hash, expires_at, created_at)
        VALUES (gen_random_uuid(), 'of-a-customer', 'none', 'h', now(), now())`,
    );
    expect(unfit).toContain('dueAt');
    expect(broken).toContain('otp_code_purpose_check');
    for (const message of [unfit, broken]) expect(message).not.toContain('of-a-customer');
  });
});

describe('a transaction', () => {
  it('keeps everything or nothing', async () => {
    const key = random.uuid();
    const failing = database.inTransaction(async (db) => {
      await db.scheduledJob.create(insert(key));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.db.scheduledJob.count({ where: { key } })).toBe(0);
    await database.inTransaction((db) => db.scheduledJob.create(insert(key)));
    expect(await database.db.scheduledJob.count({ where: { key } })).toBe(1);
  });

  it('is run again after a deadlock, and both parties get through', async () => {
    const [a, b] = [random.uuid(), random.uuid()];
    await database.db.scheduledJob.create(insert(a));
    await database.db.scheduledJob.create(insert(b));
    let arrived = 0;
    const both = createGate();
    const lockTwo = (first: string, second: string) =>
      database.inTransaction(async (db) => {
        await db.$queryRaw`SELECT id FROM scheduled_job WHERE key = ${first} FOR UPDATE`;
        arrived += 1;
        if (arrived >= 2) both.open();
        await both.opened;
        await db.$queryRaw`SELECT id FROM scheduled_job WHERE key = ${second} FOR UPDATE`;
        return first;
      });
    expect(await Promise.all([lockTwo(a, b), lockTwo(b, a)])).toEqual([a, b]);
    expect(arrived).toBeGreaterThan(2);
  });

  it('gives up when its time is over, and leaves nothing', async () => {
    const key = random.uuid();
    const slow = database.inTransaction(
      async (db) => {
        await db.scheduledJob.create(insert(key));
        await db.$queryRaw`SELECT pg_sleep(0.6)::text`;
        await db.$queryRaw`SELECT 1`;
      },
      { timeoutMs: 200 },
    );
    await expect(slow).rejects.toMatchObject({ code: 'P2028' });
    expect(await database.db.scheduledJob.count({ where: { key } })).toBe(0);
  });

  it('locks a row until it ends, and is told where there is none', async () => {
    const { data } = insert(random.uuid());
    await database.db.scheduledJob.create({ data });
    const findUnlocked = () => database.db.$queryRaw`
      SELECT 1 AS found FROM scheduled_job WHERE id = ${data.id}::uuid FOR UPDATE SKIP LOCKED`;
    await database.inTransaction(async (tx) => {
      expect(await lockRow(tx, 'scheduled_job', random.uuid())).toBe(false);
      expect(await findUnlocked()).toHaveLength(1);
      expect(await lockRow(tx, 'scheduled_job', data.id)).toBe(true);
      expect(await findUnlocked()).toEqual([]);
    });
    expect(await findUnlocked()).toHaveLength(1);
  });

  it('serializes where asked to', async () => {
    const key = random.uuid();
    const countAndAdd = (suffix: string) =>
      database.inTransaction(
        async (db) => {
          const count = await db.scheduledJob.count({ where: { key: { startsWith: key } } });
          await db.scheduledJob.create(insert(`${key}-${suffix}`));
          return count;
        },
        { isolation: 'Serializable', attempts: 10 },
      );
    const counts = await Promise.all(['a', 'b', 'c', 'd'].map(countAndAdd));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  });
});

describe('a refusal of the database', () => {
  it('is told apart by its SQLSTATE and constraint', async () => {
    const key = random.uuid();
    await database.db.scheduledJob.create(insert(key));
    const byModel: unknown = await database.db.scheduledJob
      .create(insert(key))
      .catch((error: unknown) => error);
    expect(isUniqueViolation(byModel)).toBe(true);
    expect(isUniqueViolation(byModel, 'key')).toBe(true);
    expect(isUniqueViolation(byModel, 'no_such_constraint')).toBe(false);
    const byStatement: unknown = await database.db.$executeRaw`
      INSERT INTO scheduled_job (id, key, task, due_at, created_at)
      VALUES (${random.uuid()}::uuid, ${key}, 't', now(), now())`.catch((error: unknown) => error);
    expect(isUniqueViolation(byStatement)).toBe(true);
    expect(sqlStateOf(byStatement)).toBe('23505');
    expect(isUniqueViolation(new Error('other'))).toBe(false);
  });
});

describe('a database that cannot be reached', () => {
  it('is told apart from what the database refuses', async () => {
    const url = 'postgresql://nobody:nothing@127.0.0.1:1/nowhere';
    const nowhere = createDatabase({ url, poolSize: 1, applicationName: 'test' });
    const failures: unknown[] = await Promise.all([
      nowhere.ping().catch((error: unknown) => error),
      nowhere.db.scheduledJob.count().catch((error: unknown) => error),
      nowhere.inTransaction((db) => db.scheduledJob.count()).catch((error: unknown) => error),
    ]);
    expect(failures.map((error) => toAppError(error).code)).toEqual([
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ]);
    await nowhere.close();
    expect(toAppError(new Error('a bug')).code).toBe('INTERNAL');
  });

  it('is so too when it is cut off from connections that were open', async () => {
    const between = await openCuttableServer(fresh.databaseUrl);
    const options = { url: between.url, poolSize: 3, applicationName: 'test' };
    const cutOff = createDatabase(options);
    await Promise.all([cutOff.ping(), cutOff.ping(), cutOff.db.scheduledJob.count()]);
    await between.cut();
    const failures: unknown[] = await Promise.all([
      cutOff.ping().catch((error: unknown) => error),
      cutOff.inTransaction((db) => db.scheduledJob.count()).catch((error: unknown) => error),
      cutOff.db.scheduledJob.count().catch((error: unknown) => error),
    ]);
    expect(failures.map((error) => toAppError(error).code)).toEqual([
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
      'SERVICE_UNAVAILABLE',
    ]);
    await cutOff.close();
    await between.close();
  });
});

describe('a pool', () => {
  it('says how much of it is in use, and who waits', async () => {
    const small = createDatabase({ url: fresh.databaseUrl, poolSize: 1, applicationName: 'small' });
    try {
      const [held, release] = [createGate(), createGate()];
      const holding = small.inTransaction(async () => {
        held.open();
        await release.opened;
      });
      await held.opened;
      const waiting = small.inTransaction(async () => {});
      await eventually(() => small.connections.pools()[0]?.waiting === 1);
      expect(small.connections.pools()).toEqual([
        { name: 'small', size: 1, open: 1, idle: 0, waiting: 1 },
      ]);
      release.open();
      await Promise.all([holding, waiting]);
      expect(small.connections.pools()).toMatchObject([{ idle: 1, waiting: 0 }]);
    } finally {
      await small.close();
    }
    expect(small.connections.pools()).toEqual([]);
  });
});
