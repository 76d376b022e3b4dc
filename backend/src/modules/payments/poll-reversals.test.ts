import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { reversalsOf } from '#test/support/reviewed-buys.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { selectRows, sql } from '../../platform/db/index.ts';
import { reversalPollsSql } from './gateway-payments.store.ts';

const it = reviewTest();

const poll = (open: OpenGold) => runSweeps(open.payments.sweeps, 'payments-poll-reversals');

const hour = 3600;
/** Returns the payments that one pass polls, in their sequence. */
const listPolledInPass = async (open: OpenGold): Promise<string[]> => {
  const read = () => open.gatewayJournal('get-refund');
  const before = (await read()).length;
  await poll(open);
  return (await read()).slice(before).map(({ path }) => path.split('/').at(-2) ?? '');
};

describe('a reversal that no event reported', () => {
  it('is found by a poll of the gateway and applied once', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { amountPaise: 30_000, deliver: 'none' });
    await buys.loseDispute(paymentId, { amountPaise: 20_000, deliver: 'none' });
    await poll(open);
    expect(await buys.statusOf(buy)).toBe('ALLOCATED');
    await open.advance(3601);
    await poll(open);
    await buys.becomesReversed(buy);
    expect(await reversalsOf(open, paymentId)).toMatchObject([
      { kind: 'DISPUTE', amountPaise: 20_000n },
      { kind: 'REFUND', amountPaise: 30_000n },
    ]);
    await open.advance(3601);
    await poll(open);
    expect(await reversalsOf(open, paymentId)).toHaveLength(2);
  });

  it('is found later if the gateway gives no answer', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { deliver: 'none' });
    await open.advance(3601);
    await buys.gatewayFault('*', 'error', 200);
    await poll(open);
    expect(await buys.statusOf(buy)).toBe('ALLOCATED');
    await open.sandbox.control('DELETE', '/faults');
    await eventually(async () => {
      await open.advance(3601);
      await poll(open);
      expect(await buys.statusOf(buy)).toBe('MANUAL_REVIEW');
    });
  });

  it.for([
    // A refusal is an answer. A failing read is repeated twice.
    ['refuses to say what became of one payment', { status: 400, times: 1 }, 1],
    ['fails when it is asked about one payment', { status: 500, times: 3 }, 2],
  ] as const)(
    'of another payment is found although the gateway %s for the first payment',
    async ([_what, fault, passes], { open, buys }) => {
      const first = await buys.allocated();
      const second = await buys.allocated();
      await buys.payBack(second.paymentId, { deliver: 'none' });
      await open.advance(3601);
      // The payments of other tests are polled now, and not again in the passes below.
      const { count } = await open.database.db.gatewayPayment.updateMany({
        where: { gatewayPaymentId: { notIn: [first.paymentId, second.paymentId] } },
        data: { nextReversalPollAt: null },
      });
      expect(count).toBeGreaterThan(0);
      await open.gatewayFault('get-refund', 'error', fault);
      for (let pass = 0; pass < passes; pass += 1) await poll(open);
      await open.sandbox.control('DELETE', '/faults');
      await buys.becomesReversed(second.buy);
      expect(await buys.statusOf(first.buy)).toBe('ALLOCATED');
    },
  );
});

describe('the reversal poll of a payment', () => {
  it('comes first if it is due the longest, so that a new payment waits for no old one', async ({
    open,
    buys,
  }) => {
    const old = await buys.allocated();
    await open.advance(5 * 24 * hour);
    expect(await listPolledInPass(open)).toContain(old.paymentId);
    await open.advance(20 * hour);
    const fresh = await buys.allocated();
    await open.advance(hour + 60);
    const asked = await listPolledInPass(open);
    expect(asked).toContain(fresh.paymentId);
    expect(asked).not.toContain(old.paymentId);
    await open.advance(3 * hour);
    const ids = new Set([old.paymentId, fresh.paymentId]);
    const inTurn = (await listPolledInPass(open)).filter((id) => ids.has(id));
    expect(inTurn).toEqual([fresh.paymentId, old.paymentId]);
  });

  it('runs hourly for three days, daily for half a year, and then no more', async ({
    open,
    buys,
  }) => {
    const { paymentId } = await buys.allocated();
    const isAskedAfter = async (seconds: number): Promise<boolean> => {
      await open.advance(seconds);
      return (await listPolledInPass(open)).includes(paymentId);
    };
    expect(await isAskedAfter(hour - 60)).toBe(false);
    expect(await isAskedAfter(70 * hour)).toBe(true);
    expect(await isAskedAfter(hour)).toBe(true);
    expect(await isAskedAfter(2 * hour)).toBe(true);
    expect(await isAskedAfter(23 * hour)).toBe(false);
    expect(await isAskedAfter(hour)).toBe(true);
    expect(await isAskedAfter(175 * 24 * hour)).toBe(true);
    expect(await isAskedAfter(24 * hour)).toBe(false);
    expect(await isAskedAfter(24 * 24 * hour)).toBe(false);
  });

  it('is not read again and again after its last poll', async ({ open, buys }) => {
    const { buy } = await buys.allocated();
    const { db } = open.database;
    // These second payments of one order do not exist at the gateway. The test deletes them.
    const addOld = `
      INSERT INTO gateway_payment (id, gateway, gateway_payment_id, payment_order_id, status,
        standing, amount_paise, currency, learned_at, next_reversal_poll_at, updated_at)
      SELECT gen_random_uuid(), 'sandbox', 'old_' || n, p.id, 'CAPTURED', 'SECOND', 1, 'INR',
        now() - interval '1 year', NULL, now()
      FROM payment_order p, generate_series(1, 5000) AS n WHERE p.order_id = $1`;
    await withConnection(open.migrateUrl, async (client) => {
      await client.query(addOld, [buy.id]);
      await client.query('VACUUM ANALYZE gateway_payment');
    });
    const query = reversalPollsSql({ now: open.clock.now(), limit: 100 }, []);
    const rows = await selectRows<{ 'QUERY PLAN': string }>(db, sql`EXPLAIN ANALYZE ${query}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    await withConnection(open.migrateUrl, (client) =>
      client.query(`DELETE FROM gateway_payment WHERE gateway_payment_id LIKE 'old\\_%'`),
    );
    expect(plan.match(/gateway_payment_next_reversal_poll_idx/gu)).toHaveLength(2);
    expect(plan).not.toContain('Rows Removed by Filter');
  });
});
