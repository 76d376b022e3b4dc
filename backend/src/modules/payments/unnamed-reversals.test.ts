import { describe, expect } from 'vitest';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import type { ReviewedBuy, ReviewedBuys } from '#test/support/reviewed-buys.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

const it = reviewTest();

const listRecorded = async (open: OpenGold, gatewayPaymentId: string) => {
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
/** Sends the event of a refund that has no id of the refund. */
const sendUnnamedRefund = (
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

describe('a refund whose event has no id', () => {
  it('is the refund that an earlier poll has found', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    const half = { amountPaise: 50_000, deliver: 'none' };
    const reference = await buys.payBack(paymentId, half);
    await pollReversals(open);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const reason = await buys.reasonOf(buy);
    await sendUnnamedRefund(buys, buy, paymentId, 50_000);
    expect(await listRecorded(open, paymentId)).toEqual([[reference, 50_000]]);
    expect(await buys.reasonOf(buy)).toBe(reason);
    // Half of the money is held, so the gold must not go to the house.
    expect((await buys.resolve(buy.id, 'RECOVER')).status).toBe(409);
  });

  it('is another refund if the amount differs or a later poll finds it', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    const quarter = { amountPaise: 25_000, deliver: 'none' };
    const first = await buys.payBack(paymentId, quarter);
    await pollReversals(open);
    await sendUnnamedRefund(buys, buy, paymentId, 25_001);
    expect(await listRecorded(open, paymentId)).toEqual([
      [first, 25_000],
      [null, 25_001],
    ]);
    const second = await buys.payBack(paymentId, quarter);
    await sendUnnamedRefund(buys, buy, paymentId, 25_000);
    await pollReversals(open);
    expect(await listRecorded(open, paymentId)).toEqual([
      [first, 25_000],
      [null, 25_001],
      [second, 25_000],
    ]);
  });

  it('is the same refund if its event arrives during the poll', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { amountPaise: 50_000, deliver: 'none' });
    const sql = 'SELECT FROM gold_order WHERE id = $1::uuid FOR UPDATE';
    const held = await lockRows(open.migrateUrl, sql, [buy.id]);
    const told = sendUnnamedRefund(buys, buy, paymentId, 50_000);
    await untilBlocked(open.migrateUrl, 1);
    const polled = pollReversals(open);
    await untilBlocked(open.migrateUrl, 2);
    await held.release();
    await Promise.all([told, polled]);
    expect(await listRecorded(open, paymentId)).toEqual([[null, 50_000]]);
  });
});
