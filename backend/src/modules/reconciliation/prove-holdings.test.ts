import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { fillDatabase } from '../../../dev/fill/fill-database.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { selectRows, sql } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { holdingBalanceDrift, holdingInvestedDrift } from './checks/holding-drift.ts';
import { createRead } from './create-read.ts';
import { createProveHoldingsSweep } from './reconciliation.sweeps.ts';
import type { CheckContext, Findings } from './reconciliation.types.ts';

const dayMs = 24 * 60 * 60_000;

let system: TestSystem;
let owner: Client;
let holders: string[];
let logged: unknown[];

beforeAll(async () => {
  system = await openTestSystem();
  const span = {
    from: addMs(system.clock.now(), -300 * dayMs),
    to: addMs(system.clock.now(), -40 * dayMs),
  };
  const { migrateUrl } = system.addresses;
  await fillDatabase(migrateUrl, { series: 1, orders: 3000, users: 1000, ...span });
  owner = new Client({ connectionString: migrateUrl });
  await owner.connect();
  const { rows } = await owner.query<{ id: string }>(
    'SELECT user_id AS id FROM holding WHERE balance > 1 ORDER BY user_id',
  );
  holders = rows.map(({ id }) => id);
});
afterAll(async () => {
  await owner.end();
  await system.close();
});
beforeEach(() => {
  logged = [];
});

const error: Logger['error'] = (entry: unknown) => void logged.push(entry);
const sweep = () => createProveHoldingsSweep({ db: system.db, logger: { error } });
const prove = (passes = sweep()): Promise<void> => passes.run(new AbortController().signal);

const listed = async (): Promise<string[]> => {
  const { rows } = await owner.query<{ id: string }>(
    'SELECT user_id AS id FROM unproven_holding ORDER BY user_id',
  );
  return rows.map(({ id }) => id);
};

/** Runs both checks over the last three days, in which nothing happened. */
const findDrift = async (): Promise<Findings[]> => {
  const read = createRead(system.inTransaction);
  // The checks use only `read` and the window of the context.
  const context = { read, from: addMs(system.clock.now(), -3 * dayMs) } as CheckContext;
  return [await holdingBalanceDrift.run(context), await holdingInvestedDrift.run(context)];
};

const countsOf = (found: readonly Findings[]): number[] => found.map(({ count }) => count);

const change = (id: string | undefined, grams: number, paise = 0): Promise<unknown> =>
  owner.query(
    `UPDATE holding SET balance = balance + $2, invested_paise = invested_paise + $3
     WHERE user_id = $1`,
    [id, grams, paise],
  );

/** Counts the sessions that wait for a lock, on another connection than the transaction's. */
const waiting = async (): Promise<number> => {
  const rows = await selectRows(
    system.db,
    sql`
      SELECT 1 AS one FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows.length;
};

it('the proof removes holdings that agree from the list, and leaves those that do not', async () => {
  const [one, other] = holders;
  const { rowCount } = await owner.query(
    `INSERT INTO unproven_holding (user_id) SELECT user_id FROM holding ON CONFLICT DO NOTHING`,
  );
  expect(rowCount).toBeGreaterThan(550); // more than one batch
  await change(one, 1);
  await change(other, 0, 7);
  await prove();
  expect(await listed()).toEqual([one, other]);
  expect(logged).toEqual([{ holdings: 2 }]);
  expect(countsOf(await findDrift())).toEqual([1, 1]);
  await change(one, -1);
  await change(other, 0, -7);
  await prove();
  expect(await listed()).toEqual([]);
  expect(countsOf(await findDrift())).toEqual([0, 0]);
});

it('the proof lists a customer whose holding lacks a movement', async () => {
  const [customer] = holders;
  await owner.query('BEGIN');
  await owner.query(
    `INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
       balance_after, invested_after_paise, version, at)
     SELECT gen_random_uuid(), $1, NULL, 'FORFEITED', -0.5, 0, 1, 1, 10000, now() - interval '1 year'`,
    [customer],
  );
  expect(await listed()).toEqual([customer]);
  await owner.query('ROLLBACK');
  expect(await listed()).toEqual([]);
});

it('the proof keeps a holding listed that changes while it is proven', async () => {
  // The holding is beyond the first batch of all holdings, which would also list it.
  const customer = holders.at(-1);
  await owner.query('INSERT INTO unproven_holding (user_id) VALUES ($1)', [customer]);
  await owner.query('BEGIN');
  await change(customer, 1);
  const proof = prove();
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  await owner.query('COMMIT');
  await proof;
  expect(await listed()).toEqual([customer]);
  expect(countsOf(await findDrift())).toEqual([1, 0]);
  await change(customer, -1);
  await prove();
  expect(await listed()).toEqual([]);
});

it('the proof finds a change that bypassed the triggers', async () => {
  const last = holders.at(-1);
  await owner.query('ALTER TABLE holding DISABLE TRIGGER USER');
  await change(last, 1);
  await owner.query('ALTER TABLE holding ENABLE TRIGGER USER');
  expect(countsOf(await findDrift())).toEqual([0, 0]);
  const passes = sweep();
  await prove(passes);
  await prove(passes);
  expect(await listed()).toEqual([last]);
  expect(countsOf(await findDrift())).toEqual([1, 0]);
});
