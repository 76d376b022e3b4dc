import { describe, expect } from 'vitest';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import type { ReviewedBuy, ReviewedBuys } from '#test/support/reviewed-buys.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = reviewTest();

const recorded = async (open: OpenGold, gatewayPaymentId: string) => {
  const rows = await open.database.db.paymentReversal.findMany({
    where: { gatewayPaymentId },
    orderBy: { learnedAt: 'asc' },
  });
  return rows.map(({ reference, amountPaise }) => [reference, Number(amountPaise)]);
};
const pollReversals = async (open: OpenGold) => {
  await open.advance(3601);
  await runSweeps(open.payments.sweeps, 'payments-poll-reversals');
};
/** The event of a refund that does not say which one. */
const tellUnnamed = (
  buys: ReviewedBuys,
  buy: ReviewedBuy,
  paymentId: string,
  amountPaise: number,
) =>
  buys.sendEvent('refund.processed', {
    gateway_order_id: buy.gatewayOrderId,
    gateway_payment_id: paymentId,
    amount_paise: amountPaise,
  });

describe('a refund whose event does not name it', () => {
  it('is the one that was found by asking before', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    const half = { amountPaise: 50_000, deliver: 'none' };
    const reference = await buys.payBack(paymentId, half);
    await pollReversals(open);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const reason = await buys.reasonOf(buy);
    await tellUnnamed(buys, buy, paymentId, 50_000);
    expect(await recorded(open, paymentId)).toEqual([[reference, 50_000]]);
    expect(await buys.reasonOf(buy)).toBe(reason);
    // Half of the money is held: the gold must not go to the house.
    expect((await buys.resolve(buy.id, 'RECOVER')).status).toBe(409);
  });

  it('is another one where the amount differs, or where asking finds it', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const quarter = { amountPaise: 25_000, deliver: 'none' };
    const first = await buys.payBack(paymentId, quarter);
    await pollReversals(open);
    await tellUnnamed(buys, buy, paymentId, 25_001);
    expect(await recorded(open, paymentId)).toEqual([
      [first, 25_000],
      [null, 25_001],
    ]);
    const second = await buys.payBack(paymentId, quarter);
    await tellUnnamed(buys, buy, paymentId, 25_000);
    await pollReversals(open);
    expect(await recorded(open, paymentId)).toEqual([
      [first, 25_000],
      [null, 25_001],
      [second, 25_000],
    ]);
  });

  it('is the same one where the event comes while the gateway is asked', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { amountPaise: 50_000, deliver: 'none' });
    const sql = 'SELECT FROM gold_order WHERE id = $1::uuid FOR UPDATE';
    const held = await lockRows(open.migrateUrl, sql, [buy.id]);
    const told = tellUnnamed(buys, buy, paymentId, 50_000);
    await untilBlocked(open.migrateUrl, 1);
    const polled = pollReversals(open);
    await untilBlocked(open.migrateUrl, 2);
    await held.release();
    await Promise.all([told, polled]);
    expect(await recorded(open, paymentId)).toEqual([[null, 50_000]]);
  });
});
