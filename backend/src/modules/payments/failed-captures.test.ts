import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { operatorId, type ReviewedBuy, type ReviewedBuys } from '#test/support/reviewed-buys.ts';
import type { Sellers } from '#test/support/sellers.ts';

const it = reviewTest();

/** Reports a captured payment as failed, at a later time of the gateway. */
const reportFailure = async (
  open: OpenGold,
  buys: ReviewedBuys,
  buy: ReviewedBuy,
  paymentId: string,
) => {
  await open.advance(1);
  await buys.sendPaymentEvent(buy, 'payment.failed', paymentId, 'failed');
};
const failureOf = async (open: OpenGold, gatewayPaymentId: string) => {
  const row = await open.database.db.gatewayPayment.findFirstOrThrow({
    where: { gatewayPaymentId },
  });
  const { failedAfterCaptureAt, failureResolvedAt } = row;
  return { isKnown: failedAfterCaptureAt !== null, isResolved: failureResolvedAt !== null };
};
const unresolved = { isKnown: true, isResolved: false };
const resolved = { isKnown: true, isResolved: true };

/** Creates a buy whose confirm succeeded without a response, and whose price lock has ended. */
const placeUndecidedBuy = async (open: OpenGold, buys: ReviewedBuys) => {
  const buy = await buys.place();
  const paymentId = await buys.pay(buy);
  await buys.becomes(buy, 'PAID');
  await open.fault('buy-confirm', 'accept_then_timeout');
  await open.fault('buy-status', 'timeout', { times: 20 });
  await open.allocate(buy.id);
  await open.advance(480);
  await open.allocate(buy.id);
  await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
  return { buy, paymentId };
};
/** Lets the provider answer again, so that the sweep finds that the gold was bought. */
const endFaults = async (open: OpenGold, sellers: Sellers, buy: ReviewedBuy) => {
  await open.sandbox.control('DELETE', '/faults');
  await eventually(async () => {
    await open.advance(31);
    await sellers.runSweep('buying-poll-undecided-allocations');
    expect((await sellers.gramsOf(buy.userId)).balance).toBe(buy.grams);
  });
};

describe('a failure of the captured payment of an order under review', () => {
  it('does not change the code, and is added to the reason and the history once', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await placeUndecidedBuy(open, buys);
    const before = await buys.reasonOf(buy);
    await reportFailure(open, buys, buy, paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    const reason = await buys.reasonOf(buy);
    expect(reason).toBe(`${before} The gateway reported that the captured payment later failed.`);
    expect(await failureOf(open, paymentId)).toEqual(unresolved);
    await reportFailure(open, buys, buy, paymentId);
    expect(await buys.reasonOf(buy)).toBe(reason);
    const { body } = await open.as(operatorId)('GET', `/orders/${buy.id}/timeline`);
    const told = body.items.filter(
      ({ data }: { data: { step?: string } }) => data.step === 'failed',
    );
    expect(told).toMatchObject([
      { kind: 'payment', summary: expect.stringContaining('failed, reported by sandbox') },
    ]);
  });

  it('keeps the review open if the gold turns out to be bought', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await placeUndecidedBuy(open, buys);
    await reportFailure(open, buys, buy, paymentId);
    await endFaults(open, sellers, buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
    // The gold is not reserved, because only a reversal reserves it.
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: '0.0000' });
    expect(await buys.reasonOf(buy)).toContain('later failed');
    expect((await buys.resolve(buy.id, 'KEEP')).body.status).toBe('ALLOCATED');
    expect(await failureOf(open, paymentId)).toEqual(resolved);
  });

  it('does not keep an order with another review code from its allocation', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy } = await placeUndecidedBuy(open, buys);
    await endFaults(open, sellers, buy);
    await buys.becomes(buy, 'ALLOCATED');
  });

  it.for(['failure', 'reversal'])(
    'is followed by the code of the reversal, if the %s comes first',
    async (first, { open, buys, sellers }) => {
      const { buy, paymentId } = await placeUndecidedBuy(open, buys);
      const refund = async () => {
        const reference = await buys.payBack(paymentId);
        await eventually(async () => {
          expect(await buys.reasonOf(buy)).toContain(reference);
        });
      };
      if (first === 'reversal') await refund();
      await reportFailure(open, buys, buy, paymentId);
      if (first === 'failure') await refund();
      await endFaults(open, sellers, buy);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
      expect(await sellers.gramsOf(buy.userId)).toEqual({
        balance: buy.grams,
        reserved: buy.grams,
      });
      expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
      expect(await failureOf(open, paymentId)).toEqual(resolved);
    },
  );

  it('does not change the code of an earlier reversal, and KEEP accepts both', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    await reportFailure(open, buys, buy, paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect((await buys.resolve(buy.id, 'KEEP')).body.status).toBe('ALLOCATED');
    await reportFailure(open, buys, buy, paymentId);
    await buys.becomes(buy, 'ALLOCATED');
  });
});

describe('a late payment that was reported as failed', () => {
  it('buys gold only after an operator allows it and the gateway confirms that it is held', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    await reportFailure(open, buys, buy, paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await buys.reasonOf(buy)).toContain('later failed');
    expect((await buys.resolve(buy.id, 'ALLOCATE')).body.status).toBe('ALLOCATED');
    expect(await failureOf(open, paymentId)).toEqual(resolved);
  });
});
