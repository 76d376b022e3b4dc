import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import { exhaustTries, type InstallmentFixtures } from '#test/support/installments.ts';
import { codeOf } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createReviewedBuys } from '#test/support/reviewed-buys.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';

// Cashfree lists no refunds of the charges that are made under a mandate.
const it = installmentTest({ env: { PAYMENT_GATEWAYS: 'cashfree' } }).extend(
  'reviews',
  { scope: 'file' },
  ({ open }) => createReviewedBuys(open),
);

const notFit = [409, 'ILLEGAL_TRANSITION'];

/** Creates an installment that was paid by a debit of its mandate. */
const debited = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  const mandate = { token: `mandate-${crypto.randomUUID()}`, dueInSeconds: 0 };
  const given = await fixtures.raise(await fixtures.newPlan(), 1, mandate);
  await runSweeps(open.gold.sweeps, 'buying-debit-installments');
  await fixtures.becomes(given, 'PAID');
  const { gatewayPaymentId } = await open.database.db.gatewayPayment.findFirstOrThrow({
    where: { paymentOrderId: given.paymentOrderId },
  });
  return { ...given, paymentId: gatewayPaymentId };
};

/** Creates a paid installment that could not be allocated. */
const exhausted = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  const given = await debited(open, fixtures);
  await exhaustTries(open, given, 'buy-verify', 'malformed');
  await fixtures.becomes(given, 'MANUAL_REVIEW', 'ALLOCATION_EXHAUSTED');
  return given;
};

describe('a payment whose refund the gateway cannot report', () => {
  it("buys no gold without an operator's reference that shows that it is held", async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await exhausted(open, fixtures);
    expect(codeOf(await reviews.resolve(given.orderId, 'ALLOCATE'))).toEqual(notFit);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'ALLOCATION_EXHAUSTED');
    const reference = 'settlement 7';
    const answer = await reviews.resolve(given.orderId, 'ALLOCATE', { reference });
    expect(answer.body.status).toBe('ALLOCATED');
  });

  it('buys no gold if a part is known to be reversed, even with a reference', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await exhausted(open, fixtures);
    await reviews.loseDispute(given.paymentId, { amountPaise: 100, deliver: 'none' });
    const reference = 'settlement 8';
    const answer = await reviews.resolve(given.orderId, 'ALLOCATE', { reference });
    expect(codeOf(answer)).toEqual(notFit);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'ALLOCATION_EXHAUSTED');
  });

  it("is recorded as refunded by the operator's reference", async ({ open, fixtures, reviews }) => {
    const given = await exhausted(open, fixtures);
    const reference = await reviews.payBack(given.paymentId, { deliver: 'none' });
    const { status, body } = await reviews.resolve(given.orderId, 'REFUNDED', { reference });
    expect([status, body.status, body.refund_reference]).toEqual([200, 'FAILED', reference]);
  });

  it('is recorded as refunded so if another payment has bought the gold', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await debited(open, fixtures);
    await open.allocate(given.orderId);
    await fixtures.becomes(given, 'ALLOCATED');
    const { gatewayOrderId } = await open.database.db.paymentOrder.findUniqueOrThrow({
      where: { id: given.paymentOrderId },
    });
    const secondId = await fixtures.pay(String(gatewayOrderId));
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    expect(codeOf(await reviews.resolve(given.orderId, 'KEEP'))).toEqual(notFit);
    const reference = await reviews.payBack(secondId, { deliver: 'none' });
    const answer = await reviews.resolve(given.orderId, 'REFUNDED', { reference });
    expect(answer.body.status).toBe('ALLOCATED');
  });

  it('is recorded as refunded so while the gateway reports the other payment as held', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await debited(open, fixtures);
    const { gatewayOrderId } = await open.database.db.paymentOrder.findUniqueOrThrow({
      where: { id: given.paymentOrderId },
    });
    await fixtures.pay(String(gatewayOrderId));
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    const reference = await reviews.payBack(given.paymentId, { deliver: 'none' });
    const answer = await reviews.resolve(given.orderId, 'REFUNDED', { reference });
    expect([answer.status, answer.body.status]).toEqual([200, 'MANUAL_REVIEW']);
    const charge = await open.database.db.gatewayPayment.findFirstOrThrow({
      where: { gatewayPaymentId: given.paymentId },
    });
    expect(charge).toMatchObject({ disposition: 'REFUNDED', refundReference: reference });
  });

  it('hides neither its own dispute nor the refund of another payment', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await debited(open, fixtures);
    await open.allocate(given.orderId);
    await fixtures.becomes(given, 'ALLOCATED');
    const { buy, paymentId } = await reviews.allocated();
    await reviews.loseDispute(given.paymentId, { deliver: 'none' });
    await reviews.payBack(paymentId, { deliver: 'none' });
    await open.advance(3601);
    await runSweeps(open.payments.sweeps, 'payments-poll-reversals');
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    await reviews.becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
  });
});
