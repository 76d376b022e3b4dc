import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { fillDatabase } from '../../../dev/fill/fill-database.ts';
import { listOrders } from '../orders/list-orders.store.ts';
import { listPayouts } from '../payouts/payouts.store.ts';
import { listAllPlans } from '../plans/operator-plans.store.ts';
import { listProductOrders } from '../product-orders/product-orders.store.ts';
import { listAllRewards } from '../referrals/operator-rewards.store.ts';
import { createFoldChangesSweep } from './index.ts';

let system: TestSystem;
const span = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-02-01T00:00:00Z') };

beforeAll(async () => {
  system = await openTestSystem();
  const { migrateUrl } = system.addresses;
  await fillDatabase(migrateUrl, { series: 1, orders: 600, users: 40, ...span });
  await withConnection(migrateUrl, async (client) => {
    await client.query(
      `INSERT INTO referral (id, referrer_user_id, referee_user_id, code, status, applied_at, updated_at)
       SELECT gen_random_uuid(), (SELECT id FROM app_user ORDER BY id LIMIT 1), id, 'GOLD7K2M',
         'APPLIED', created_at, created_at
       FROM (SELECT * FROM app_user ORDER BY id OFFSET 1) AS u`,
    );
    await client.query(
      `INSERT INTO referral_reward (id, referral_id, user_id, status, created_at)
       SELECT gen_random_uuid(), id, referrer_user_id, 'PENDING', applied_at FROM referral`,
    );
    await client.query(
      `UPDATE referral_reward r SET status = 'REVERSED', reversed_at = r.created_at, order_id = o.id
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM referral_reward) AS k
       JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM gold_order) AS o USING (n)
       WHERE k.id = r.id AND n % 3 = 0`,
    );
    await client.query(`UPDATE sip_plan SET status = 'PAUSED' WHERE abs(hashtext(id::text)) % 4 = 0
      AND status = 'ACTIVE'`);
  });
});
afterAll(() => system.close());

type Row = Readonly<{ id: string; status: string; createdAt: Date; type?: string }>;
interface Filter {
  readonly status?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly type?: string | undefined;
}
interface List {
  readonly name: string;
  readonly statuses: readonly string[];
  readonly all: () => Promise<readonly Row[]>;
  readonly read: (
    filter: Filter,
    page: { page: number; limit: number },
  ) => Promise<{ readonly rows: readonly { readonly id: string }[]; readonly total: number }>;
}

/** The lists, each with a plain read of all its rows, with which every page is compared. */
const lists: readonly List[] = [
  {
    name: 'orders',
    statuses: ['ALLOCATED', 'COMPLETED', 'PENDING', 'FAILED', 'MANUAL_REVIEW'],
    all: () => system.db.goldOrder.findMany(),
    read: (filter, page) => listOrders(system.db, filter, page),
  },
  {
    name: 'product orders',
    statuses: ['DELIVERED', 'SHIPPED', 'PLACED', 'CANCELLED'],
    all: () => system.db.productOrder.findMany(),
    read: (filter, page) => listProductOrders(system.db, filter as never, page),
  },
  {
    name: 'payouts',
    statuses: ['PAID', 'PENDING', 'FAILED'],
    all: () => system.db.payout.findMany(),
    read: ({ status, ...filter }, page) =>
      listPayouts(
        system.db,
        { ...filter, statuses: status === undefined ? undefined : [status as never] },
        page,
      ),
  },
  {
    name: 'plans',
    statuses: ['ACTIVE', 'PAUSED', 'COMPLETED', 'CANCELLED'],
    all: () => system.db.sipPlan.findMany(),
    read: (filter, page) => listAllPlans(system.db, filter as never, page),
  },
  {
    name: 'rewards',
    statuses: ['PENDING', 'REVERSED', 'PAID'],
    all: () => system.db.referralReward.findMany(),
    read: (filter, page) => listAllRewards(system.db, filter as never, page),
  },
];

const anyMoment = fc
  .integer({ min: -1, max: 33 * 24 })
  .map((hours) => new Date(span.from.getTime() + hours * 3_600_000));

const byNewest = (one: Row, other: Row): number =>
  other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1);

it.for(lists)('finds any page and the total of $name as in the rows', async (list) => {
  const { statuses, all, read } = list;
  const rows = [...(await all())].toSorted(byNewest);
  expect(rows.length).toBeGreaterThan(5);
  const check = async (filter: Filter, page: { page: number; limit: number }) => {
    const { status, from, to, type } = filter;
    const expected = rows.filter(
      (row) =>
        (status === undefined || row.status === status) &&
        (type === undefined || row.type === type) &&
        (from === undefined || row.createdAt >= from) &&
        (to === undefined || row.createdAt < to),
    );
    const found = await read(filter, page);
    expect(found.total).toBe(expected.length);
    const first = (page.page - 1) * page.limit;
    expect(found.rows.map(({ id }) => id)).toEqual(
      expected.slice(first, first + page.limit).map(({ id }) => id),
    );
  };
  const anyFilter = fc.record({
    status: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
    from: fc.option(anyMoment, { nil: undefined }),
    to: fc.option(anyMoment, { nil: undefined }),
  });
  const anyPage = fc.record({
    page: fc.integer({ min: 1, max: 8 }),
    limit: fc.integer({ min: 1, max: 100 }),
  });
  const property = fc.asyncProperty(anyFilter, anyPage, check);
  await fc.assert(property, { numRuns: 40 });
  await check({ from: span.to, to: span.from }, { page: 1, limit: 20 });
  // The worker may add the changes to their totals at any time.
  await createFoldChangesSweep(system).run(new AbortController().signal);
  await fc.assert(property, { numRuns: 20 });
  if (list.name !== 'orders') return;
  for (const type of ['BUY', 'SELL', 'SIP_INSTALLMENT']) {
    await check({ type }, { page: 2, limit: 30 });
  }
});
