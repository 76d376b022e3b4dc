import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { arrivalsOf } from '#test/support/arrivals.ts';
import { eventually } from '#test/support/eventually.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { reversalsOf, type ReviewedBuy } from '#test/support/reviewed-buys.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import type { Sellers } from '#test/support/sellers.ts';

const it = reviewTest();

const historyOf = (sellers: Sellers, { id }: ReviewedBuy) => sellers.historyOf(id);
/** Waits until every event that the sandbox has sent is in the inbox. */
const waitForDelivery = (open: OpenGold) =>
  eventually(async () => {
    const { body } = await open.sandbox.control('GET', '/webhooks');
    const deliveries = body['deliveries'] as { state: string }[];
    expect(deliveries.every(({ state }) => state === 'delivered')).toBe(true);
  });

describe("a reversal of an allocated order's payment", () => {
  it.for([
    ['a refund', 'REFUND', 'refunded'],
    ['a lost dispute', 'DISPUTE', 'lost in a dispute'],
  ] as const)(
    'by %s brings the order to review and reserves its grams',
    async ([, kind, words], { open, buys, sellers }) => {
      const { buy, paymentId } = await buys.allocated();
      const reference = await (kind === 'REFUND'
        ? buys.payBack(paymentId)
        : buys.loseDispute(paymentId));
      await buys.becomesReversed(buy);
      expect(await sellers.gramsOf(buy.userId)).toEqual({
        balance: buy.grams,
        reserved: buy.grams,
      });
      const reason = await buys.reasonOf(buy);
      expect(reason).toContain(words);
      expect(reason).toContain(reference);
      expect(await reversalsOf(open, paymentId)).toMatchObject([
        { kind, reference, amountPaise: 100_000n, resolvedAt: null },
      ]);
      expect((await buy.call('GET', '/portfolio')).body.reserved).toBe(buy.grams);
      const seller = { ...buy, id: buy.userId, providerUserId: '', investedPaise: 0n };
      const bankAccountId = await sellers.bankAccount(buy.userId);
      const sold = await sellers.sell({ ...seller, bankAccountId }, '0.01');
      expect([sold.status, sold.body.error?.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
      const oldestFirst = { where: { userId: buy.userId }, orderBy: { id: 'asc' } } as const;
      const told = await open.database.db.notification.findMany(oldestFirst);
      expect(told.map(({ type }) => type)).toEqual(['buy_success', 'buy_under_review']);
      expect(told[1]?.body).not.toContain('Your money is safe');
    },
  );

  it('of a part names both amounts', async ({ buys, sellers }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.payBack(paymentId, { amountPaise: 40_000 });
    await buys.becomesReversed(buy);
    const reason = await buys.reasonOf(buy);
    expect(reason).toContain('INR 400.00');
    expect(reason).toContain('INR 1000.00');
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
  });

  it('causes one review if its event is repeated or delivered concurrently', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const reference = await buys.payBack(paymentId, { deliver: 'duplicate' });
    await buys.becomesReversed(buy);
    await waitForDelivery(open);
    const reason = await buys.reasonOf(buy);
    await open.advance(1);
    const again = { gateway_payment_id: paymentId, reference, amount_paise: 100_000 };
    await buys.sendEvent('refund.processed', { ...again, gateway_order_id: buy.gatewayOrderId });
    expect(await buys.reasonOf(buy)).toBe(reason);
    expect(await reversalsOf(open, paymentId)).toHaveLength(1);
    expect(await historyOf(sellers, buy)).toEqual([
      'PENDING',
      'PAID',
      'ALLOCATED',
      'MANUAL_REVIEW',
    ]);
  });

  it('finds its order by the payment if the event names no order', async ({ open, buys }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.sendEvent('dispute.lost', { gateway_payment_id: paymentId, amount_paise: 100_000 });
    await buys.becomesReversed(buy);
    expect(await reversalsOf(open, paymentId)).toMatchObject([
      { kind: 'DISPUTE', reference: null },
    ]);
  });

  it('causes one review that names both if a refund and a dispute are reported', async ({
    open,
    buys,
    sellers,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const refund = await buys.payBack(paymentId);
    await buys.becomesReversed(buy);
    const dispute = await buys.loseDispute(paymentId);
    await eventually(async () => (await reversalsOf(open, paymentId)).length === 2);
    const reason = await buys.reasonOf(buy);
    expect(reason).toContain(refund);
    expect(reason).toContain(dispute);
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
    expect(await historyOf(sellers, buy)).toEqual([
      'PENDING',
      'PAID',
      'ALLOCATED',
      'MANUAL_REVIEW',
    ]);
  });

  it('does not change the code of an open review', async ({ buys, sellers }) => {
    const { buy, paymentId } = await buys.allocated();
    await buys.failPayment(buy, paymentId);
    const before = await buys.reasonOf(buy);
    const reference = await buys.payBack(paymentId);
    await eventually(async () => (await buys.reasonOf(buy)).includes(reference));
    await buys.becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
    expect(await buys.reasonOf(buy)).toContain(before);
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
  });
});

describe("a refund of another payment than the gold's", () => {
  it('of a second capture does not keep its review from being resolved', async ({
    buys,
    sellers,
  }) => {
    const { buy, secondId } = await buys.paidTwice();
    const reference = await buys.payBack(secondId);
    await eventually(async () => (await buys.reasonOf(buy)).includes(reference));
    await buys.becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(await sellers.gramsOf(buy.userId)).toMatchObject({ reserved: '0.0000' });
    const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect(answer.body).toMatchObject({ status: 'ALLOCATED', manual_review_code: null });
  });

  it('that a resolution has recorded changes nothing when its event arrives', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.late();
    const reference = await buys.payBack(paymentId, { deliver: 'none' });
    expect((await buys.resolve(buy.id, 'REFUNDED', { reference })).body.status).toBe('FAILED');
    const event = { gateway_payment_id: paymentId, reference, amount_paise: 100_000 };
    await buys.sendEvent('refund.processed', { ...event, gateway_order_id: buy.gatewayOrderId });
    await buys.becomes(buy, 'FAILED');
    expect(await reversalsOf(open, paymentId)).toMatchObject([{ resolvedAt: expect.any(Date) }]);
  });
});

describe('a reversal before the gold is allocated', () => {
  it.for(['PAID', 'RETRY_PENDING'])(
    'ends a %s order as REFUNDED',
    async (status, { open, buys }) => {
      const buy = await buys.place();
      const paymentId = await buys.pay(buy);
      await buys.becomes(buy, 'PAID');
      if (status === 'RETRY_PENDING') {
        await open.fault('buy-confirm', 'error', { status: 400 });
        await open.allocate(buy.id);
        await buys.becomes(buy, 'RETRY_PENDING');
      }
      const reference = await buys.loseDispute(paymentId);
      await buys.becomesReversed(buy);
      await open.advance(5);
      await open.allocate(buy.id);
      await buys.becomesReversed(buy);
      for (const resolution of ['KEEP', 'RECOVER', 'ALLOCATE']) {
        expect((await buys.resolve(buy.id, resolution)).status).toBe(409);
      }
      const answer = await buys.resolve(buy.id, 'REFUNDED', { reference });
      expect(answer.body).toMatchObject({ status: 'FAILED', refund_reference: reference });
      expect(await buys.paymentOrderStatus(buy)).toBe('REFUNDED');
    },
  );

  it('waits for an undecided confirm, and reserves the gold if the confirm succeeded', async ({
    open,
    buys,
    sellers,
  }) => {
    const buy = await buys.place();
    const paymentId = await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    await open.fault('buy-confirm', 'accept_then_timeout');
    await open.fault('buy-status', 'timeout', { times: 20 });
    await open.allocate(buy.id);
    await buys.becomes(buy, 'RETRY_PENDING');
    const reference = await buys.payBack(paymentId);
    await buys.becomesReversed(buy);
    const refused = await buys.resolve(buy.id, 'REFUNDED', { reference });
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'OUTCOME_UNDECIDED']);
    await open.sandbox.control('DELETE', '/faults');
    await eventually(async () => {
      await open.advance(31);
      await sellers.runSweep('buying-poll-undecided-allocations');
      expect(await sellers.gramsOf(buy.userId)).toEqual({
        balance: buy.grams,
        reserved: buy.grams,
      });
    });
    await buys.becomesReversed(buy);
    expect((await buys.resolve(buy.id, 'RECOVER')).body.status).toBe('FAILED');
  });

  it('keeps the review open under another code if the gold turns out to be bought', async ({
    open,
    buys,
    sellers,
  }) => {
    const buy = await buys.place();
    const paymentId = await buys.pay(buy);
    await buys.becomes(buy, 'PAID');
    await open.fault('buy-confirm', 'accept_then_timeout');
    await open.fault('buy-status', 'timeout', { times: 20 });
    await open.allocate(buy.id);
    await open.advance(480);
    await open.allocate(buy.id);
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    const reference = await buys.payBack(paymentId);
    await eventually(async () => (await buys.reasonOf(buy)).includes(reference));
    await buys.becomes(buy, 'MANUAL_REVIEW', 'PROVIDER_LOCK_EXPIRED');
    await open.sandbox.control('DELETE', '/faults');
    await eventually(async () => {
      await open.advance(31);
      await sellers.runSweep('buying-poll-undecided-allocations');
      await buys.becomesReversed(buy);
    });
    expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: buy.grams, reserved: buy.grams });
  });

  it('leads to a review and sells no gold if it races the allocation', async ({
    open,
    buys,
    sellers,
  }) => {
    for (let round = 0; round < 6; round += 1) {
      const buy = await buys.place();
      const paymentId = await buys.pay(buy);
      await buys.becomes(buy, 'PAID');
      const refund = () => buys.payBack(paymentId);
      const allocate = () => open.allocate(buy.id);
      await Promise.all(round % 2 === 0 ? [allocate(), refund()] : [refund(), allocate()]);
      await buys.becomesReversed(buy);
      const { balance, reserved } = await sellers.gramsOf(buy.userId);
      expect(reserved).toBe(balance);
      const resolution = balance === '0.0000' ? 'REFUNDED' : 'RECOVER';
      const answer = await buys.resolve(buy.id, resolution, { reference: paymentId });
      expect(answer.body).toMatchObject({ status: 'FAILED' });
      expect(await sellers.gramsOf(buy.userId)).toEqual({ balance: '0.0000', reserved: '0.0000' });
    }
  });
});

/**
 * The events of a payment that is captured, partly refunded twice, and lost in a dispute.
 */
const paymentEvents = [
  ['payment.captured', undefined, 100_000],
  ['order.paid', undefined, 100_000],
  ['refund.processed', 'part-1', 30_000],
  ['refund.processed', 'part-1', 30_000],
  ['refund.processed', 'part-2', 30_000],
  ['dispute.lost', 'dispute', 40_000],
] as const;

describe("the order of a payment's events", () => {
  it('does not matter: a reversal before, after or with the capture causes one review', async ({
    open,
    buys,
    sellers,
  }) => {
    await fc.assert(
      fc.asyncProperty(arrivalsOf(paymentEvents), async (groups) => {
        const buy = await buys.place();
        const paymentId = await buys.pay(buy, { deliver: 'none' });
        for (const group of groups) {
          await Promise.all(
            group.map((at) => {
              const [event = '', reference, amount] = paymentEvents[at] ?? [];
              return buys.sendEvent(event, {
                gateway_order_id: buy.gatewayOrderId,
                gateway_payment_id: paymentId,
                amount_paise: amount,
                currency: 'INR',
                ...(reference !== undefined && { reference }),
              });
            }),
          );
        }
        await buys.becomesReversed(buy);
        expect((await reversalsOf(open, paymentId)).map(({ amountPaise }) => amountPaise)).toEqual([
          40_000n,
          30_000n,
          30_000n,
        ]);
        expect(await historyOf(sellers, buy)).toEqual(['PENDING', 'PAID', 'MANUAL_REVIEW']);
        await open.allocate(buy.id);
        await buys.becomesReversed(buy);
        const answer = await buys.resolve(buy.id, 'REFUNDED', { reference: 'part-1' });
        expect(answer.body).toMatchObject({ status: 'FAILED' });
      }),
      { numRuns: 12 },
    );
  });

  it('does not matter for an unknown order, whose event is applied once the order is known', async ({
    open,
    buys,
  }) => {
    const { buy, paymentId } = await buys.allocated();
    const nameGatewayOrder = async (gatewayOrderId: string) => {
      const { paymentOrder, gatewayAttempt } = open.database.db;
      const data = { gatewayOrderId };
      await paymentOrder.updateMany({ where: { orderId: buy.id }, data });
      await gatewayAttempt.updateMany({ where: { paymentOrder: { orderId: buy.id } }, data });
    };
    await nameGatewayOrder('elsewhere');
    const event = { gateway_order_id: buy.gatewayOrderId, amount_paise: 100_000 };
    await buys.sendEvent('refund.processed', { ...event, gateway_payment_id: 'unknown-payment' });
    expect(await buys.statusOf(buy)).toBe('ALLOCATED');
    await nameGatewayOrder(buy.gatewayOrderId);
    const stored = () =>
      open.database.db.webhookEvent.findFirstOrThrow({
        where: { gatewayPaymentId: 'unknown-payment' },
      });
    expect((await stored()).status).toBe('UNMATCHED');
    await runSweeps(open.payments.sweeps, 'payments-apply-matchable-events');
    expect((await stored()).status).toBe('APPLIED');
    expect(await reversalsOf(open, 'unknown-payment')).toMatchObject([{ resolvedAt: null }]);
    expect(await buys.statusOf(buy)).toBe('ALLOCATED');
    expect(paymentId).not.toBe('unknown-payment');
  });
});
