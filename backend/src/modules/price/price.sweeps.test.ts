import { describe, expect } from 'vitest';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { newIdempotencyKey } from '#test/support/sellers.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createPriceThinning } from './index.ts';

const it = goldTest();

const dayMs = 24 * 60 * 60_000;
const minuteMs = 60_000;

/** Inserts a tick for every 10 s of the given minutes from `from`, all with one rate. */
const insertTicks = (open: OpenGold, from: Date, minutes: number, rateId: string) =>
  withConnection(open.migrateUrl, (client) =>
    client.query(
      `INSERT INTO price_snapshot (id, source, buy_paise, sell_paise, spot_paise, buy_rate_id,
         sell_rate_id, as_of, created_at)
       SELECT gen_random_uuid(), 'PROVIDER', 700000 + n, 690000, 695000, $3, $3 || '-sell',
         $1::timestamptz + n * interval '10 seconds', now()
       FROM generate_series(0, $2::int * 6 - 1) AS n`,
      [from, minutes, rateId],
    ),
  );

const timesOf = async (open: OpenGold, from: Date, to: Date): Promise<readonly string[]> => {
  const rows = await open.database.db.priceSnapshot.findMany({
    where: { asOf: { gte: from, lt: to } },
    orderBy: { asOf: 'asc' },
    select: { asOf: true },
  });
  return rows.map(({ asOf }) => asOf.toISOString());
};

const startOfMinute = (at: Date): Date => addMs(at, -(at.getTime() % minuteMs));

const thinAt = async (open: OpenGold, at: Date): Promise<number> => {
  let deleted = 0;
  const sweep = createPriceThinning({
    db: open.database.db,
    wall: createManualClock(at),
    metrics: { countPurged: (_name, count) => (deleted += count) },
    everyMs: 1,
  });
  await sweep.run(new AbortController().signal);
  await sweep.run(new AbortController().signal);
  return deleted;
};

describe('prices older than 90 days', () => {
  it('are thinned out to the last one of each minute, and newer prices are not', async ({
    open,
  }) => {
    const from = startOfMinute(addMs(open.clock.now(), -400 * dayMs));
    const to = addMs(from, 5 * minuteMs);
    await insertTicks(open, from, 5, 'rate-of-nobody');
    // Two and a half of the five minutes are 90 days old.
    const deleted = await thinAt(open, addMs(from, 90 * dayMs + 2.5 * minuteMs));
    expect(deleted).toBe(10);
    const kept = await timesOf(open, from, to);
    const lastOf = (minute: number) => addMs(from, minute * minuteMs + 50_000).toISOString();
    expect(kept.slice(0, 2)).toEqual([lastOf(0), lastOf(1)]);
    expect(kept).toHaveLength(2 + 18);
    // A restarted process deletes nothing more until the other ticks are 90 days old.
    expect(await thinAt(open, addMs(from, 90 * dayMs + 2.5 * minuteMs))).toBe(0);
    expect(await thinAt(open, addMs(from, 91 * dayMs))).toBe(15);
    expect(await timesOf(open, from, to)).toEqual([0, 1, 2, 3, 4].map(lastOf));
  });

  it('are kept if an order uses them or an operator recorded them', async ({ open }) => {
    const { call } = await open.newCustomer();
    const body = { unit: 'INR', amount: '1000', idempotency_key: newIdempotencyKey() };
    const { status, body: placed } = await call('POST', '/gold/buy', body);
    expect(status).toBe(201);
    const { db } = open.database;
    const id: string = placed.order.id;
    const order = await db.goldOrder.findUniqueOrThrow({ where: { id } });
    const from = startOfMinute(addMs(order.createdAt, -minuteMs));
    const before = (await timesOf(open, from, addMs(from, 3 * minuteMs))).length;
    await insertTicks(open, from, 1, order.providerRateId ?? '');
    await insertTicks(open, addMs(from, minuteMs), 1, 'rate-of-nobody');
    await thinAt(open, addMs(order.createdAt, 100 * dayMs));
    const kept = await timesOf(open, from, addMs(from, 2 * minuteMs));
    // The six ticks at the order's rate remain, and one of the next minute.
    expect(kept.filter((at) => at < addMs(from, minuteMs).toISOString())).toHaveLength(6);
    expect(kept.length).toBeLessThanOrEqual(7 + before);
    const found = await call('GET', `/gold/orders/${id}`);
    expect(found.body).toEqual(placed.order);
  });
});
