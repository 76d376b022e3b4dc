import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { insertBusyCustomer } from '#test/support/busy-customer.ts';
import type { Caller } from '#test/support/caller.ts';
import { openApis, type OpenApis } from '#test/support/open-apis.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { selectRows, sql } from '../../platform/db/index.ts';
import { findPlace, pageSql } from './transactions.read-model.ts';

let open: OpenApis;
beforeAll(async () => {
  open = await openApis();
});
afterAll(() => open.close());

const newest = new Date('2026-03-14T05:00:00.000Z');
const busy = async (transactions: number, everyMinutes: number) => {
  const made = await open.customer();
  const { migrateUrl } = open.system.addresses;
  await insertBusyCustomer(migrateUrl, { ...made, transactions, newest, everyMinutes });
  return made;
};

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly amountPaise: number;
  readonly grams: string | null;
  readonly createdAt: string;
}
const pageOf = async (call: Caller, page: number, limit: number) => {
  const { status, body } = await call('GET', `/transactions?page=${page}&limit=${limit}`);
  expect({ status, page: body['page'], limit: body['limit'] }).toEqual({
    status: 200,
    page,
    limit,
  });
  return { items: body['items'] as Item[], total: body['total'] }; // as declared
};
const newestFirst = (a: Item, b: Item): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1;

describe("the customer's feed", () => {
  it('is one list of all kinds, newest first and then by id, in pages that make up the whole', async () => {
    // There are days with several rows, with one row and without rows.
    const { call } = await busy(60, 399);
    const { items: whole, total } = await pageOf(call, 1, 100);
    expect(total).toBe(60);
    expect(whole).toHaveLength(60);
    expect(whole).toEqual(whole.toSorted(newestFirst));
    expect(new Set(whole.map(({ createdAt }) => createdAt)).size).toBeLessThan(40);
    const countOf = (wanted: string): number => whole.filter(({ kind }) => kind === wanted).length;
    expect([countOf('SIP_INSTALLMENT'), countOf('PRODUCT_ORDER'), countOf('PAYOUT')]).toEqual([
      36, 12, 12,
    ]);
    for (const limit of [1, 7, 60]) {
      const pages: Item[] = [];
      for (let page = 1; page <= Math.ceil(60 / limit); page += 1) {
        const { items, total: counted } = await pageOf(call, page, limit);
        expect(counted).toBe(60);
        pages.push(...items);
      }
      expect(pages).toEqual(whole);
    }
    expect(await pageOf(call, 61, 1)).toEqual({ items: [], total: 60 });
  });

  it('can be filtered by two times, and has the same pages as the whole list', async () => {
    const { call } = await busy(60, 399);
    const { items: whole } = await pageOf(call, 1, 100);
    const moments = whole.map(({ createdAt }) => createdAt);
    const bounds = [
      [moments[40], moments[3]],
      [undefined, moments[20]],
      [moments[20], undefined],
      // The days of the business calendar begin at 18:30 UTC.
      ['2026-03-09T18:30:00.000Z', '2026-03-10T18:30:00.000Z'],
      ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
      ['2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z'],
      ['2027-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ] as const;
    for (const [from, to] of bounds) {
      const expected = whole.filter(
        ({ createdAt }) =>
          (from === undefined || createdAt >= from) && (to === undefined || createdAt < to),
      );
      const query = new URLSearchParams({ ...(from && { from }), ...(to && { to }) });
      const seen: Item[] = [];
      for (let page = 1; page <= 10; page += 1) {
        const path = `/transactions?${query.toString()}&limit=7&page=${page}`;
        const { body } = await call('GET', path);
        expect({ from, to, total: body['total'] }).toEqual({ from, to, total: expected.length });
        seen.push(...(body['items'] as Item[])); // as declared
      }
      expect(seen).toEqual(expected);
    }
  });

  it('shows the grams of an installment once it is allocated', async () => {
    const { userId, call } = await busy(5, 1);
    const { migrateUrl } = open.system.addresses;
    const gramsOf = async (): Promise<unknown[]> => {
      const { items } = await pageOf(call, 1, 5);
      return items.filter(({ kind }) => kind === 'SIP_INSTALLMENT').map(({ grams }) => grams);
    };
    await withConnection(migrateUrl, (client) =>
      client.query('UPDATE gold_order SET grams = 0.5 WHERE user_id = $1', [userId]),
    );
    expect(await gramsOf()).toEqual([null, null, null]);
    await withConnection(migrateUrl, (client) =>
      client.query('UPDATE gold_order SET allocated_at = updated_at WHERE user_id = $1', [userId]),
    );
    expect(await gramsOf()).toEqual(['0.5000', '0.5000', '0.5000']);
  });

  it("shows only the customer's own transactions", async () => {
    await busy(5, 1);
    const { call } = await open.customer();
    expect(await pageOf(call, 1, 20)).toEqual({ items: [], total: 0 });
    expect((await open.as()('GET', '/transactions')).status).toBe(401);
  });
});

const countedOf = (userId: string) =>
  open.system.db.transactionCount.findMany({ where: { userId }, orderBy: { day: 'asc' } });

describe('the counts behind the feed', () => {
  it('include concurrent inserts, and no rolled-back ones', async () => {
    const { userId, call } = await open.customer();
    const { clock, inTransaction, random } = open.system;
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
    await Promise.allSettled(tries);
    expect((await countedOf(userId)).map(({ count }) => count)).toEqual([15]);
    expect(await pageOf(call, 1, 100)).toMatchObject({ total: 15, items: { length: 15 } });
  });

  it('equal the number of rows', async () => {
    const { userId } = await busy(60, 399);
    const counted = await countedOf(userId);
    expect(counted.length).toBeGreaterThan(5);
    const recounted = await selectRows<unknown>(
      open.system.db,
      sql`
        SELECT user_id AS "userId", (created_at AT TIME ZONE 'UTC')::date AS day, count(*)::int
        FROM (
          SELECT user_id, created_at FROM gold_order
          UNION ALL SELECT user_id, created_at FROM product_order
          UNION ALL SELECT user_id, created_at FROM payout) AS transactions
        WHERE user_id = ${userId}::uuid GROUP BY 1, 2 ORDER BY 2`,
    );
    expect(counted).toEqual(recounted);
  });
});

/** A node of a query plan, as EXPLAIN describes it. */
interface Step {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Step[] | undefined;
}
const step: z.ZodType<Step> = z.lazy(() =>
  z.looseObject({
    'Node Type': z.string(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    Plans: z.array(step).optional(),
  }),
);
const planSchema = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: step })) }));
const rowsRead = ({ Plans: below = [], ...own }: Step): number =>
  below.length === 0
    ? own['Actual Rows'] * own['Actual Loops']
    : below.reduce((sum, each) => sum + rowsRead(each), 0);

it('the feed reads as many rows for any page of many transactions as of few', async () => {
  const { db } = open.system;
  const [few, many] = [await busy(100, 7), await busy(20_000, 7)];
  const readBy = async (userId: string, page: number): Promise<number> => {
    const limit = 10;
    const offset = (page - 1) * limit;
    const { dayEnd, newer } = await findPlace(db, { userId }, offset);
    if (dayEnd === null) throw new Error('behind the last page');
    const query = pageSql({ userId }, { dayEnd, skip: offset - newer, limit });
    const plan = await selectRows<unknown>(db, sql`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`);
    const plans = planSchema.parse(plan).flatMap((row) => row['QUERY PLAN']);
    return plans.reduce((sum, { Plan }) => sum + rowsRead(Plan), 0);
  };
  // A day has at most 411 rows, and a page in the past also reads other rows of its day.
  expect(await readBy(many.userId, 1)).toBe(await readBy(few.userId, 1));
  for (const page of [500, 1000, 2000]) {
    expect(await readBy(many.userId, page)).toBeLessThan(3 * (411 + 10));
  }
});
