import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { operatorId, type ReviewedBuy, type ReviewedBuys } from '#test/support/reviewed-buys.ts';
import type { Sellers } from '#test/support/sellers.ts';

const it = reviewTest();

/** The gateway says that a captured payment failed, at a moment of its own. */
const fail = async (open: OpenGold, buys: ReviewedBuys, buy: ReviewedBuy, paymentId: string) => {
  await open.advance(1);
  await buys.sendPaymentEvent(buy, 'payment.failed', paymentId, 'failed');
};
const failureOf = async (open: OpenGold, gatewayPaymentId: string) => {
  const row = await open.database.db.gatewayPayment.findFirstOrThrow({
    where: { gatewayPaymentId },
  });
  const { failedAfterCaptureAt, failureResolvedAt } = row;
  return { isKnown: failedAfterCaptureAt !== null, isJudged: failureResolvedAt !== null };
};
const unjudged = { isKnown: true, isJudged: false };
const judged = { isKnown: true, isJudged: true };

/** A buy whose confirm the provider took without a word, and whose price lock ended meanwhile. */
const undecided = async (open: OpenGold, buys: ReviewedBuys) => {
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
/** The provider answers again: the sweep finds that the gold was bought. */
const decide = async (open: OpenGold, sellers: Sellers, buy: ReviewedBuy) => {
  await open.sandbox.control('DELETE', '/faults');
  await eventually(async () => {
    await open.advance(31);
    await sellers.runSweep('buying-poll-undecided-allocations');
    expect((await sellers.gramsOf(buy.userId)).balance).toBe(buy.grams);
  });
};

describe('a failure of the captured payment of an order under review', () => {
  it('leaves the code, and is told in the reason and the history, once', async ({ open, buys }) => {
    const { buy, paymentId } = await undecided(open, buys);
    const before = await buys.reasonOf(buy);
    await fail(open, buys, buy, paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    const reason = await buys.reasonOf(buy);
    expect(reason).toBe(`${before} The gateway reported that the captured payment later failed.`);
    expect(await failureOf(open, paymentId)).toEqual(unjudged);
    await fail(open, buys, buy, paymentId);
    expect(await buys.reasonOf(buy)).toBe(reason);
    const { body } = await open.as(operatorId)('GET', `/orders/${buy.id}/timeline`);
    const told = body.items.filter(
      ({ data }: { data: { step?: string } }) => data.step === 'failed',
    );
    expect(told).toMatchObject([
      { kind: 'payment', summary: expect.stringContaining('failed, says sandbox') },
    ]);
  });

  it('keeps the review open when the gold turns out to be there', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await undecided(open, buys);
    await fail(open, buys, buy, paymentId);
    await decide(open, sellers, buy);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
    // The gold stays where it is: only money that went away reserves it.
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: '0.0000' });
    expect(await buys.reasonOf(buy)).toContain('later failed');
    expect((await buys.resolve(buy.id, 'KEEP')).body.status).toBe('ALLOCATED');
    expect(await failureOf(open, paymentId)).toEqual(judged);
  });

  it('leaves an order that nothing else is said of to be allocated as before', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy } = await undecided(open, buys);
    await decide(open, sellers, buy);
    await buys.becomes(buy, 'ALLOCATED');
  });

  it.for(['failure', 'reversal'])(
    'goes with a reversal, the %s first: the money that is gone is the review',
    async (first, { open, buys, sellers }) => {
      const { buy, paymentId } = await undecided(open, buys);
      const refund = async () => {
        const reference = await buys.payBack(paymentId);
        await eventually(async () => {
          expect(await buys.reasonOf(buy)).toContain(reference);
        });
      };
      if (first === 'reversal') await refund();
      await fail(open, buys, buy, paymentId);
      if (first === 'failure') await refund();
      await decide(open, sellers, buy);
      await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
      expect(await sellers.gramsOf(buy.userId)).toEqual({
        balance: buy.grams,
        reserved: buy.grams,
      });
      expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
      expect(await failureOf(open, paymentId)).toEqual(judged);
    },
  );

  it('after a reversal of the gold leaves its code, and KEEP accepts both', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    await fail(open, buys, buy, paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect((await buys.resolve(buy.id, 'KEEP')).body.status).toBe('ALLOCATED');
    await fail(open, buys, buy, paymentId);
    await buys.becomes(buy, 'ALLOCATED');
  });
});

describe('a late payment that is said to have failed', () => {
  it('is bought with only once an operator says so, and the gateway holds it', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    await fail(open, buys, buy, paymentId);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect(await buys.reasonOf(buy)).toContain('later failed');
    expect((await buys.resolve(buy.id, 'ALLOCATE')).body.status).toBe('ALLOCATED');
    expect(await failureOf(open, paymentId)).toEqual(judged);
  });
});
