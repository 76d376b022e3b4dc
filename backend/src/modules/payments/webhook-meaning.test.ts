import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deliver,
  openCheckout,
  openPayments,
  signatureOf,
  signedEvent,
  type OpenPayments,
} from '#test/support/open-payments.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments();
});
afterAll(() => open.close());

let counter = 0;
const nextId = (): string => `t${(counter += 1)}`;

const accepted = { status: 200, body: { received: true } };
const repeated = { status: 200, body: { received: true, duplicate: true } };

/** Plays the gateway: an event about a payment of this checkout. */
const tell = (
  event: string,
  checkout: { gatewayOrderId: string },
  gatewayPaymentId: string,
  changes: { amountPaise?: number; currency?: string } = {},
) => {
  const signed = signedEvent(event, checkout.gatewayOrderId, gatewayPaymentId, changes);
  return deliver(open, { ...signed, eventId: `evt_${nextId()}` });
};

const paymentOrder = (id: string) =>
  open.database.db.paymentOrder.findUniqueOrThrow({ where: { id } });
const paymentsOf = (gatewayOrderId: string) =>
  open.database.db.gatewayPayment.findMany({
    where: { gatewayOrderId },
    orderBy: { gatewayPaymentId: 'asc' },
  });
const inboxOf = (subject: string) => open.database.db.webhookEvent.findMany({ where: { subject } });

describe('what a webhook means', () => {
  it('fails the order, and a capture of the same checkout still pays it', async () => {
    const checkout = await openCheckout(open);
    await tell('payment.failed', checkout, 'pay_f1');
    expect((await open.orders.state(checkout.orderId)).status).toBe('FAILED');
    expect((await paymentOrder(checkout.paymentOrderId)).status).toBe('FAILED');
    await tell('payment.captured', checkout, 'pay_f2');
    expect(await open.orders.state(checkout.orderId)).toMatchObject({
      status: 'PAID',
      moves: ['PENDING>FAILED', 'FAILED>PAID'],
    });
    expect((await paymentOrder(checkout.paymentOrderId)).status).toBe('PAID');
  });

  it('pays with the very payment that failed before', async () => {
    const checkout = await openCheckout(open);
    await tell('payment.failed', checkout, 'pay_late_auth');
    await tell('payment.captured', checkout, 'pay_late_auth');
    expect((await open.orders.state(checkout.orderId)).status).toBe('PAID');
    const payments = await paymentsOf(checkout.gatewayOrderId);
    expect(payments).toMatchObject([{ status: 'CAPTURED', disposition: 'APPLIED' }]);
  });

  it('does not touch captured money when another payment failed', async () => {
    const checkout = await openCheckout(open);
    await tell('payment.captured', checkout, 'pay_good');
    await tell('payment.failed', checkout, 'pay_bad');
    expect((await open.orders.state(checkout.orderId)).status).toBe('PAID');
    expect((await paymentOrder(checkout.paymentOrderId)).status).toBe('PAID');
    expect(await paymentsOf(checkout.gatewayOrderId)).toMatchObject([
      { gatewayPaymentId: 'pay_bad', status: 'FAILED', disposition: 'NONE' },
      { gatewayPaymentId: 'pay_good', status: 'CAPTURED', disposition: 'APPLIED' },
    ]);
  });

  it.each(['PAID', 'RETRY_PENDING', 'ALLOCATED'] as const)(
    'sends a %s order to review when its captured payment failed',
    async (status) => {
      const checkout = await openCheckout(open);
      await tell('payment.captured', checkout, `pay_after_${status}`);
      if (status !== 'PAID') await open.orders.set(checkout.orderId, status);
      await tell('payment.failed', checkout, `pay_after_${status}`);
      const state = await open.orders.state(checkout.orderId);
      expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'FAILED_AFTER_PAID' });
      expect((await paymentOrder(checkout.paymentOrderId)).status).toBe('PAID');
    },
  );

  it.each([
    ['AMOUNT_MISMATCH', { amountPaise: 99_999 }],
    ['AMOUNT_MISMATCH', { amountPaise: 100_001 }],
    ['CURRENCY_MISMATCH', { currency: 'USD' }],
  ])('sends both orders to review: %s %j', async (code, changes) => {
    const checkout = await openCheckout(open);
    await tell('payment.captured', checkout, `pay_${nextId()}`, changes);
    const state = await open.orders.state(checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code, allocations: 0 });
    const held = await paymentOrder(checkout.paymentOrderId);
    expect(held).toMatchObject({ status: 'MANUAL_REVIEW', paidAt: null });
    const [payment] = await paymentsOf(checkout.gatewayOrderId);
    expect(payment?.disposition).toBe('MISMATCH');
    expect(held.capturedPaymentId).toBe(payment?.id);
  });

  it.each([
    ['PENDING', 'GATEWAY_ORDER_CREATED'],
    ['FAILED', 'EXPIRED'],
  ])('reviews a capture after the lock of a %s order', async (from, paymentOrderStatus) => {
    const checkout = await openCheckout(open);
    open.clock.set(checkout.lockEndsAt);
    if (from === 'FAILED') {
      await open.orders.set(checkout.orderId, 'FAILED');
      await open.payments.expirePaymentOrders(open.database.db, checkout.orderId);
    }
    expect((await paymentOrder(checkout.paymentOrderId)).status).toBe(paymentOrderStatus);
    await tell('payment.captured', checkout, `pay_late_${from}`);
    const state = await open.orders.state(checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'LATE_CAPTURE', allocations: 0 });
    expect((await paymentOrder(checkout.paymentOrderId)).status).toBe('PAID');
    const [payment] = await paymentsOf(checkout.gatewayOrderId);
    expect(payment?.disposition).toBe('LATE');
  });

  it.each(['PAID', 'ALLOCATED'] as const)(
    'reviews a second capture of a %s order',
    async (status) => {
      const checkout = await openCheckout(open);
      await tell('payment.captured', checkout, `pay_one_${status}`);
      if (status !== 'PAID') await open.orders.set(checkout.orderId, status);
      open.clock.set(checkout.lockEndsAt);
      await tell('payment.captured', checkout, `pay_two_${status}`, { amountPaise: 5 });
      const state = await open.orders.state(checkout.orderId);
      expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'SECOND_CAPTURE' });
      expect((await paymentOrder(checkout.paymentOrderId)).status).toBe('PAID');
      const payments = await paymentsOf(checkout.gatewayOrderId);
      expect(payments.map(({ disposition }) => disposition)).toEqual(['APPLIED', 'SECOND']);
    },
  );

  it('keeps an event of no consequence, and one that can not be read', async () => {
    const checkout = await openCheckout(open);
    expect(await tell('payment.authorized', checkout, 'pay_auth')).toEqual(accepted);
    expect((await inboxOf(checkout.gatewayOrderId)).map(({ status }) => status)).toEqual([
      'IGNORED',
    ]);
    const body = 'neither JSON nor \u0000 anything';
    expect(await deliver(open, { body, signature: signatureOf(body) })).toEqual(accepted);
    expect(await deliver(open, { body, signature: signatureOf(body) })).toEqual(repeated);
    const unreadable = await open.database.db.webhookEvent.findMany({
      where: { status: 'UNREADABLE' },
    });
    expect(unreadable).toHaveLength(1);
    expect(unreadable[0]?.purgeAfter).not.toBeNull();
    expect((await open.orders.state(checkout.orderId)).status).toBe('PENDING');
  });
});
