import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import { exhaustTries, type InstallmentFixtures } from '#test/support/installments.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createReviewedBuys } from '#test/support/reviewed-buys.ts';

const it = installmentTest().extend('reviews', { scope: 'file' }, ({ open }) =>
  createReviewedBuys(open),
);

const paid = async (fixtures: InstallmentFixtures) => {
  const given = await fixtures.payable();
  const paymentId = await fixtures.pay(given.gatewayOrderId);
  await fixtures.becomes(given, 'PAID');
  return { ...given, paymentId };
};
const allocated = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  const given = await paid(fixtures);
  await open.allocate(given.orderId);
  await fixtures.becomes(given, 'ALLOCATED');
  return given;
};
/** Creates a paid installment whose retries are used up. */
const exhausted = async (
  open: OpenGold,
  fixtures: InstallmentFixtures,
  operation: string,
  fault: string,
) => {
  const given = await paid(fixtures);
  await exhaustTries(open, given, operation, fault);
  await fixtures.becomes(given, 'MANUAL_REVIEW', 'ALLOCATION_EXHAUSTED');
  return given;
};

describe('ALLOCATE of an installment', () => {
  it('buys gold for its rupees at the current price', async ({ open, fixtures, reviews }) => {
    const given = await exhausted(open, fixtures, 'buy-verify', 'malformed');
    const price = { buyPaise: 2_500_000, sellPaise: 2_400_000, spotPaise: 2_450_000 };
    await open.sandbox.control('PUT', '/price', price);
    await open.advance(600);
    const { status, body } = await reviews.resolve(given.orderId, 'ALLOCATE');
    expect([status, body.status]).toEqual([200, 'ALLOCATED']);
    expect(body).toMatchObject({ gold_value_paise: 97_087, price_difference_paise: null });
    const states = await fixtures.historyOf(given);
    expect(states.slice(-3)).toEqual(['MANUAL_REVIEW', 'PAID', 'ALLOCATED']);
  });

  it('whose verify gets no answer leaves the review and waits for a retry', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await exhausted(open, fixtures, 'buy-verify', 'malformed');
    await open.fault('buy-verify', 'malformed');
    const { status, body } = await reviews.resolve(given.orderId, 'ALLOCATE');
    expect([status, body.status]).toEqual([200, 'RETRY_PENDING']);
    expect(body).toMatchObject({ manual_review_code: null, grams: null });
    await open.advance(5);
    await open.allocate(given.orderId);
    await fixtures.becomes(given, 'ALLOCATED');
  });

  it('is refused while an earlier confirm is undecided', async ({ open, fixtures, reviews }) => {
    const given = await exhausted(open, fixtures, 'buy-confirm', 'timeout');
    const refused = await reviews.resolve(given.orderId, 'ALLOCATE');
    expect([refused.status, refused.body.error.code]).toEqual([409, 'OUTCOME_UNDECIDED']);
    const paidBack = await reviews.resolve(given.orderId, 'REFUNDED', { reference: 'rf-1' });
    expect(paidBack.body.error.code).toBe('OUTCOME_UNDECIDED');
  });

  it('is possible for a customer whose KYC was revoked since', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await exhausted(open, fixtures, 'buy-verify', 'malformed');
    await open.setKyc('PENDING');
    const { status, body } = await reviews.resolve(given.orderId, 'ALLOCATE');
    expect([status, body.status]).toEqual([200, 'ALLOCATED']);
  });

  it('is refused if the captured amount differs', async ({ fixtures, reviews }) => {
    const other = await fixtures.payable();
    await fixtures.pay(other.gatewayOrderId, { amountPaise: 1 });
    await fixtures.becomes(other, 'MANUAL_REVIEW', 'AMOUNT_MISMATCH');
    const answer = await reviews.resolve(other.orderId, 'ALLOCATE');
    expect([answer.status, answer.body.error.code]).toEqual([409, 'ILLEGAL_TRANSITION']);
  });
});

describe('REFUNDED of an installment', () => {
  it('fails it, and its customer may still pay it', async ({ open, fixtures, reviews }) => {
    const given = await exhausted(open, fixtures, 'buy-verify', 'malformed');
    const reference = await reviews.payBack(given.paymentId, { deliver: 'none' });
    const { status, body } = await reviews.resolve(given.orderId, 'REFUNDED', { reference });
    expect([status, body.status, body.refund_reference]).toEqual([200, 'FAILED', reference]);
    const again = await fixtures.payAgain(given);
    expect((await fixtures.orderOf(given)).refund_reference).toBeNull();
    await fixtures.runJobs();
    const { checkout } = await fixtures.paymentOf(given, again.paymentOrderId);
    await fixtures.pay(checkout.gateway_order_id);
    await fixtures.becomes(given, 'PAID');
    await open.allocate(given.orderId);
    await fixtures.becomes(given, 'ALLOCATED');
  });

  it('can be followed by a review of a further payment at the same checkout', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await exhausted(open, fixtures, 'buy-verify', 'malformed');
    const reference = await reviews.payBack(given.paymentId, { deliver: 'none' });
    const { body } = await reviews.resolve(given.orderId, 'REFUNDED', { reference });
    expect(body.status).toBe('FAILED');
    await fixtures.pay(given.gatewayOrderId);
    // The teardown checks the database rules for this order too.
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
  });

  it('of its second payment does not affect the gold', async ({ open, fixtures, reviews }) => {
    const given = await allocated(open, fixtures);
    const secondId = await fixtures.pay(given.gatewayOrderId);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    const reference = await reviews.payBack(secondId, { deliver: 'none' });
    const { status, body } = await reviews.resolve(given.orderId, 'REFUNDED', { reference });
    expect([status, body.status]).toEqual([200, 'ALLOCATED']);
  });
});

describe('an installment whose payment was reversed', () => {
  it('keeps its gold by KEEP', async ({ open, fixtures, reviews }) => {
    const given = await allocated(open, fixtures);
    await reviews.loseDispute(given.paymentId);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const order = await fixtures.orderOf(given);
    expect(order.grams).not.toBeNull();
    const { status, body } = await reviews.resolve(given.orderId, 'KEEP');
    expect([status, body.status]).toEqual([200, 'ALLOCATED']);
  });

  it('loses its gold by RECOVER, and is never allocated again', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const given = await allocated(open, fixtures);
    await reviews.loseDispute(given.paymentId);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    const { status, body } = await reviews.resolve(given.orderId, 'RECOVER');
    expect([status, body.status]).toEqual([200, 'FAILED']);
    const refusal = { code: 'ILLEGAL_TRANSITION' };
    await expect(fixtures.payAgain(given)).rejects.toMatchObject(refusal);
  });

  it('and recovered is not allocated again by an earlier checkout', async ({
    open,
    fixtures,
    reviews,
  }) => {
    const first = await fixtures.payable();
    await fixtures.pay(first.gatewayOrderId, { outcome: 'failed' });
    await fixtures.becomes(first, 'FAILED');
    const { paymentOrderId } = await fixtures.payAgain(first);
    await fixtures.runJobs();
    const { checkout } = await fixtures.paymentOf(first, paymentOrderId);
    const paymentId = await fixtures.pay(checkout.gateway_order_id);
    await fixtures.becomes(first, 'PAID');
    await open.allocate(first.orderId);
    await fixtures.becomes(first, 'ALLOCATED');
    await reviews.loseDispute(paymentId);
    await fixtures.becomes(first, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect((await reviews.resolve(first.orderId, 'RECOVER')).status).toBe(200);
    const lateId = await fixtures.pay(first.gatewayOrderId);
    await fixtures.becomes(first, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    expect((await reviews.resolve(first.orderId, 'ALLOCATE')).status).toBe(409);
    const reference = await reviews.payBack(lateId, { deliver: 'none' });
    const { status, body } = await reviews.resolve(first.orderId, 'REFUNDED', { reference });
    expect([status, body.status]).toEqual([200, 'FAILED']);
  });

  it('before its allocation is not allocated', async ({ open, fixtures, reviews }) => {
    const given = await paid(fixtures);
    await reviews.payBack(given.paymentId);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    await open.allocate(given.orderId);
    await fixtures.becomes(given, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    expect((await fixtures.orderOf(given)).grams).toBeNull();
  });
});
