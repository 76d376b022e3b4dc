import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertBusyCustomer } from '#test/support/busy-customer.ts';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { selectRows, sql } from '../../platform/db/index.ts';
import { createFoldChangesSweep } from '../transaction-counts/index.ts';
import { daysSql, findDays } from './operator-feed.read-model.ts';
import { transactionKinds } from './transactions.types.ts';

let system: TestSystem;
let make: Factories;
let url: string;
let operator: Caller;
const newest = new Date('2026-03-14T05:00:00.000Z');
beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  ({ url } = await serveAdminApi(system));
  operator = bearerCaller(url, (await make.admin('SUPPORT')).token);
});
afterAll(() => system.close());

const fold = () => createFoldChangesSweep(system).run(new AbortController().signal);
const busy = async (transactions: number, everyMinutes: number): Promise<string> => {
  const { userId } = await make.customer();
  const { migrateUrl } = system.addresses;
  await insertBusyCustomer(migrateUrl, { userId, transactions, newest, everyMinutes });
  return userId;
};

interface Item {
  readonly id: string;
  readonly userId: string;
  readonly kind: string;
  readonly status: string;
  readonly createdAt: string;
}
type Filter = Readonly<Partial<Record<'kind' | 'status' | 'userId' | 'from' | 'to', string>>>;

const list = async (filter: Filter, page: number, limit: number) => {
  const query = new URLSearchParams({ ...filter, page: String(page), limit: String(limit) });
  const { status, body } = await operator('GET', `/transactions?${query.toString()}`);
  expect(status).toBe(200);
  return { items: body['items'] as Item[], total: body['total'] }; // as declared
};

const kindOf = (type: string): string =>
  type === 'BUY' || type === 'SELL' ? `GOLD_${type}` : type;

/** Returns all transactions by a plain query, with which every page is compared. */
const readAll = async (): Promise<Item[]> => {
  const { db } = system;
  const [gold, products, payouts] = await Promise.all([
    db.goldOrder.findMany(),
    db.productOrder.findMany(),
    db.payout.findMany(),
  ]);
  return [
    ...gold.map((row) => ({ ...row, kind: kindOf(row.type) })),
    ...products.map((row) => ({ ...row, kind: 'PRODUCT_ORDER' })),
    ...payouts.map((row) => ({ ...row, kind: 'PAYOUT' })),
  ]
    .map(({ id, userId, kind, status, createdAt }) => ({
      id,
      userId,
      kind,
      status,
      createdAt: createdAt.toISOString(),
    }))
    .toSorted((a, b) => (`${a.createdAt}${a.id}` < `${b.createdAt}${b.id}` ? 1 : -1));
};

const changeStatuses = () =>
  withConnection(system.addresses.migrateUrl, async (client) => {
    await client.query(`UPDATE product_order SET status = 'CANCELLED' WHERE total_paise % 3 = 0`);
    await client.query(`UPDATE payout SET status = 'REVERSED' WHERE amount_paise % 7 < 3`);
    await client.query(`UPDATE payout SET amount_paise = amount_paise WHERE true`);
  });

const day = (at: string): string => `${at.slice(0, 10)}T00:00:00.000Z`;
const maybe = (values: readonly string[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });

it("the operators' feed returns by any filter and page the result of a plain search", async () => {
  const users = [await busy(60, 399), await busy(40, 7), await busy(25, 1500)];
  await fold();
  await busy(20, 90);
  await changeStatuses();
  const all = await readAll();
  expect(all).toHaveLength(145);
  const moments = all.map(({ createdAt }) => createdAt);
  const moment = fc.option(
    fc.oneof(fc.constantFrom(...moments), fc.constantFrom(...moments).map(day)),
    { nil: undefined },
  );
  const filters = fc.record({
    kind: maybe(transactionKinds),
    status: maybe(['FAILED', 'DELIVERED', 'CANCELLED', 'REVERSED', 'NOTHING']),
    userId: fc.option(fc.constantFrom(...users), { nil: undefined, freq: 1 }),
    from: moment,
    to: moment,
  });
  let runs = 0;
  const pages = fc.tuple(filters, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 }));
  await fc.assert(
    fc.asyncProperty(pages, async ([{ kind, status, userId, from, to }, page, limit]) => {
      if ((runs += 1) === 40) await fold();
      const expected = all.filter(
        (one) =>
          (kind === undefined || one.kind === kind) &&
          (status === undefined || one.status === status) &&
          (userId === undefined || one.userId === userId) &&
          (from === undefined || one.createdAt >= from) &&
          (to === undefined || one.createdAt < to),
      );
      const given = Object.entries({ kind, status, userId, from, to });
      const filter = Object.fromEntries(given.filter(([, value]) => value !== undefined));
      const found = await list(filter, page, limit);
      expect(found.total).toBe(expected.length);
      expect(found.items).toMatchObject(expected.slice((page - 1) * limit, page * limit));
      expect(found.items).toHaveLength(
        Math.max(0, Math.min(limit, expected.length - (page - 1) * limit)),
      );
    }),
    { numRuns: 120 },
  );
});

it("the operators' feed counts concurrent transactions, and no rolled-back ones", async () => {
  const { userId } = await make.customer();
  const { inTransaction, random, clock } = system;
  const before = (await list({ status: 'PLACED' }, 1, 1)).total;
  const insert = (isKept: boolean) =>
    inTransaction(async (tx) => {
      const [createdAt, updatedAt] = [clock.now(), clock.now()];
      const amounts = { itemsTotalPaise: 100n, gstPaise: 3n, totalPaise: 103n };
      const rest = { gstRateBps: 300, deliveryFeePaise: 0n, shippingAddressSealed: 'x' };
      const row = { id: random.uuid(), userId, status: 'PLACED', createdAt, updatedAt };
      await tx.productOrder.create({ data: { ...row, ...amounts, ...rest } });
      if (!isKept) throw new Error('rolled back');
    });
  const tries = Array.from({ length: 20 }, (_, index) => insert(index % 4 !== 0));
  await Promise.allSettled([...tries, fold(), fold(), fold()]);
  expect((await list({ status: 'PLACED' }, 1, 1)).total).toBe(Number(before) + 15);
  await Promise.all([fold(), fold()]);
  expect((await list({ status: 'PLACED' }, 1, 1)).total).toBe(Number(before) + 15);
  expect(await system.db.transactionChange.count()).toBe(0);
});

const read = async (filter: object, page: number): Promise<number> => {
  const at = { page, limit: 10 };
  const { days } = await findDays(system.db, filter, at);
  const plan = await selectRows<{ 'QUERY PLAN': string }>(
    system.db,
    sql`EXPLAIN (ANALYZE, TIMING OFF) ${daysSql(filter, at, days)}`,
  );
  const scans = plan
    .map((row) => row['QUERY PLAN'])
    .filter((line) => / on (?:gold_order|product_order|payout)/u.test(line));
  expect(scans.join('\n')).not.toContain('Seq Scan');
  return scans.reduce((sum, line) => sum + Number(/actual rows=(\d+)/u.exec(line)?.[1] ?? 0), 0);
};

it("the operators' feed reads as many rows for a page of many transactions as of few", async () => {
  await busy(20_000, 5);
  await fold();
  // A day has at most 576 rows.
  for (const page of [1, 500, 1900]) expect(await read({}, page)).toBeLessThan(3 * 600);
  expect(await read({ kind: 'PAYOUT' }, 100)).toBeLessThan(3 * 600);
});

it("the operators' feed shows no grams of an installment that is not allocated", async () => {
  const userId = await busy(5, 1);
  const { id } = await system.db.goldOrder.findFirstOrThrow({ where: { userId } });
  await system.db.goldOrder.update({ where: { id }, data: { grams: '0.5' } });
  const { items } = await list({ userId }, 1, 5);
  expect(items.find((item) => item.id === id)).toMatchObject({
    kind: 'SIP_INSTALLMENT',
    grams: null,
  });
});

it("the operators' feed is only for operators, and refuses an invalid filter", async () => {
  expect((await bearerCaller(url)('GET', '/transactions')).status).toBe(401);
  for (const query of [
    'kind=GOLD',
    'status=a',
    'userId=1',
    'from=2026-01-01',
    'page=0',
    'to=0000-01-01T00:00:00Z',
  ]) {
    expect((await operator('GET', `/transactions?${query}`)).status).toBe(400);
  }
});
