import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { eventually } from '#test/support/eventually.ts';
import { execute, selectOne, sql, type Sql } from '../db/index.ts';
import { createRandom } from '../ids/random.ts';
import { createLease } from './lease.ts';

const random = createRandom();
const longMs = 60_000;
const shortMs = 50;

const database = databaseOfFile(4);

const operations = createLease({ table: 'provider_operation' });
const keys = createLease({ table: 'idempotency_key', keepsHolder: true });

const addOperation = async (): Promise<Sql> => {
  const id = random.uuid();
  await execute(
    database().db,
    sql`
      INSERT INTO provider_operation (id, provider, operation, status, started_at)
      VALUES (${id}::uuid, 'test', 'sell-verify', 'INTENDED', now())`,
  );
  return sql`id = ${id}::uuid`;
};

const addKey = async (holderId: string, leaseMs: number): Promise<Sql> => {
  const key = random.uuid();
  await execute(
    database().db,
    sql`
      INSERT INTO idempotency_key
        (owner_id, operation, key, payload_hash, status, holder_id, lease_until, created_at)
      VALUES (${holderId}::uuid, 'test', ${key}, 'hash', 'RUNNING', ${holderId}::uuid,
        ${keys.until(leaseMs)}, now())`,
  );
  return sql`key = ${key}`;
};

const readOperation = (row: Sql) =>
  selectOne<{ status: string; attempts: number; holder: string | null; free: boolean }>(
    database().db,
    sql`
      SELECT status, attempts, holder_id AS holder, ${operations.isFree('p')} AS free
      FROM provider_operation p WHERE ${row}`,
  );

describe('a lease', () => {
  it('is taken by one of many who try at the same time', async () => {
    const row = await addOperation();
    const tries = Array.from({ length: 8 }, () =>
      operations.acquire(database().db, { row, holderId: random.uuid(), leaseMs: longMs }),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(await readOperation(row)).toMatchObject({ free: false });
  });

  it('changes further columns in the same statement, and nothing where a condition fails', async () => {
    const row = await addOperation();
    const request = { row, holderId: random.uuid(), leaseMs: longMs };
    const where = sql`status = 'DONE'`;
    expect(await operations.acquire(database().db, { ...request, where })).toBe(false);
    const set = sql`status = 'UNKNOWN', attempts = attempts + 1`;
    expect(await operations.acquire(database().db, { ...request, set })).toBe(true);
    expect(await readOperation(row)).toMatchObject({ status: 'UNKNOWN', attempts: 1 });
  });

  it('goes to the next holder when it lapses, and the earlier one can do no more', async () => {
    const row = await addOperation();
    const [dead, next] = [random.uuid(), random.uuid()];
    const { db } = database();
    expect(await operations.acquire(db, { row, holderId: dead, leaseMs: shortMs })).toBe(true);
    await eventually(async () => {
      expect(await operations.acquire(db, { row, holderId: next, leaseMs: longMs })).toBe(true);
    });
    expect(await operations.renew(db, { row, holderId: dead, leaseMs: longMs })).toBe(false);
    expect(await operations.release(db, { row, holderId: dead })).toBe(false);
    expect(await readOperation(row)).toMatchObject({ holder: next, free: false });
  });

  it('is not renewed once it has lapsed, even while nobody else took the row', async () => {
    const row = await addOperation();
    const request = { row, holderId: random.uuid(), leaseMs: shortMs };
    // Only its renewal is short, so that no machine is too busy to renew it in time.
    const long = { ...request, leaseMs: longMs };
    expect(await operations.acquire(database().db, long)).toBe(true);
    expect(await operations.renew(database().db, request)).toBe(true);
    await eventually(async () => expect(await readOperation(row)).toMatchObject({ free: true }));
    expect(await operations.renew(database().db, request)).toBe(false);
  });

  it('runs on real time within a transaction too', async () => {
    const row = await addOperation();
    const took = await database().inTransaction(async (db) => {
      const first = { row, holderId: random.uuid(), leaseMs: 1 };
      expect(await operations.acquire(db, first)).toBe(true);
      await selectOne(db, sql`SELECT pg_sleep(0.02)::text`);
      return operations.acquire(db, { ...first, holderId: random.uuid() });
    });
    expect(took).toBe(true);
  });

  it('is free at once after its release', async () => {
    const row = await addOperation();
    const request = { row, holderId: random.uuid(), leaseMs: longMs };
    await operations.acquire(database().db, request);
    expect(await operations.release(database().db, request)).toBe(true);
    expect(await readOperation(row)).toMatchObject({ holder: null, free: true });
  });
});

it('a lease ends and keeps its holder where the columns cannot be empty', async () => {
  const [holderId, next] = [random.uuid(), random.uuid()];
  const row = await addKey(holderId, longMs);
  const request = { row, holderId: next, leaseMs: longMs };
  expect(await keys.acquire(database().db, request)).toBe(false);
  expect(await keys.release(database().db, { row, holderId })).toBe(true);
  expect(await keys.acquire(database().db, request)).toBe(true);
});

it('a lease takes names of the schema only', () => {
  expect(() => createLease({ table: 'x; drop table y' })).toThrow('not a plain name');
});
