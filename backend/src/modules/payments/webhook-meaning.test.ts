import { describe, expect } from 'vitest';
import {
  captureUnheard,
  deliver,
  inboxOf,
  openCheckout,
  paymentOrderRow,
  signatureOf,
  signedEvent,
  stateOf,
  transitionOrder,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { accepted, repeated } from '#test/support/webhook-answers.ts';
import { expirePaymentOrders } from './payments.states.ts';

const it = goldTest();

let counter = 0;
const nextId = (): string => `t${(counter += 1)}`;

/** Sends an event of a payment at this checkout, as the gateway would. */
const sendEvent = (
  open: OpenGold,
  event: string,
  checkout: { gatewayOrderId: string },
  gatewayPaymentId: string,
  changes: { amountPaise?: number; currency?: string } = {},
) => {
  const signed = signedEvent(event, checkout.gatewayOrderId, gatewayPaymentId, changes);
  return deliver(open, { ...signed, eventId: `evt_${nextId()}` });
};

const paymentsOf = (open: OpenGold, gatewayOrderId: string) =>
  open.database.db.gatewayPayment.findMany({
    where: { gatewayOrderId },
    orderBy: [{ learnedAt: 'asc' }, { id: 'asc' }],
  });

describe('a webhook', () => {
  it('fails the order, and a capture of the same checkout still pays it', async ({ open }) => {
    const checkout = await openCheckout(open);
    await sendEvent(open, 'payment.failed', checkout, 'pay_f1');
    expect((await stateOf(open, checkout.orderId)).status).toBe('FAILED');
    expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe('FAILED');
    await sendEvent(open, 'payment.captured', checkout, await captureUnheard(open, checkout));
    expect(await stateOf(open, checkout.orderId)).toMatchObject({
      status: 'PAID',
      transitions: ['PENDING>FAILED', 'FAILED>PAID'],
    });
    expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe('PAID');
  });

  it('pays with a payment that failed before', async ({ open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout);
    await sendEvent(open, 'payment.failed', checkout, paymentId);
    await sendEvent(open, 'payment.captured', checkout, paymentId);
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
    const payments = await paymentsOf(open, checkout.gatewayOrderId);
    expect(payments).toMatchObject([{ status: 'CAPTURED', disposition: 'APPLIED' }]);
  });

  it('does not affect a captured payment if another payment failed', async ({ open }) => {
    const checkout = await openCheckout(open);
    const good = await captureUnheard(open, checkout);
    await sendEvent(open, 'payment.captured', checkout, good);
    await sendEvent(open, 'payment.failed', checkout, 'pay_bad');
    expect((await stateOf(open, checkout.orderId)).status).toBe('PAID');
    expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe('PAID');
    const payments = await paymentsOf(open, checkout.gatewayOrderId);
    const became = payments.map(({ gatewayPaymentId, status, disposition }) => [
      gatewayPaymentId,
      [status, disposition],
    ]);
    expect(Object.fromEntries(became)).toEqual({
      pay_bad: ['FAILED', 'NONE'],
      [good]: ['CAPTURED', 'APPLIED'],
    });
  });

  it.for(['PAID', 'RETRY_PENDING', 'ALLOCATED'] as const)(
    'sends a %s order to review if its captured payment failed',
    async (status, { open }) => {
      const checkout = await openCheckout(open);
      const paymentId = await captureUnheard(open, checkout);
      await sendEvent(open, 'payment.captured', checkout, paymentId);
      if (status === 'ALLOCATED') await open.allocate(checkout.orderId);
      if (status === 'RETRY_PENDING') await transitionOrder(open, checkout.orderId, status);
      await sendEvent(open, 'payment.failed', checkout, paymentId);
      const state = await stateOf(open, checkout.orderId);
      expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'FAILED_AFTER_PAID' });
      expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe('PAID');
    },
  );

  it.for([
    ['AMOUNT_MISMATCH', { amountPaise: 99_999 }],
    ['AMOUNT_MISMATCH', { amountPaise: 100_001 }],
    ['CURRENCY_MISMATCH', { currency: 'USD' }],
  ] as const)('sends both orders to review: %s %j', async ([code, changes], { open }) => {
    const checkout = await openCheckout(open);
    const paymentId = await captureUnheard(open, checkout, changes);
    await sendEvent(open, 'payment.captured', checkout, paymentId, changes);
    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code, allocations: 0 });
    const held = await paymentOrderRow(open, checkout.paymentOrderId);
    expect(held).toMatchObject({ status: 'MANUAL_REVIEW', paidAt: null });
    const [payment] = await paymentsOf(open, checkout.gatewayOrderId);
    expect(payment?.disposition).toBe('MISMATCH');
    expect(held.capturedPaymentId).toBe(payment?.id);
  });

  it.for([
    ['PENDING', 'GATEWAY_ORDER_CREATED'],
    ['FAILED', 'EXPIRED'],
  ] as const)('reviews a capture after the lock of a %s order', async (row, { open }) => {
    const [from, paymentOrderStatus] = row;
    const checkout = await openCheckout(open);
    await open.advance(480);
    if (from === 'FAILED') {
      await transitionOrder(open, checkout.orderId, 'FAILED');
      await expirePaymentOrders(open, open.database.db, checkout.orderId, 'test');
    }
    expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe(paymentOrderStatus);
    await sendEvent(open, 'payment.captured', checkout, await captureUnheard(open, checkout));
    const state = await stateOf(open, checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'LATE_CAPTURE', allocations: 0 });
    expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe('PAID');
    const [payment] = await paymentsOf(open, checkout.gatewayOrderId);
    expect(payment?.disposition).toBe('LATE');
  });

  it.for(['PAID', 'ALLOCATED'] as const)(
    'reviews a second capture of a %s order',
    async (status, { open }) => {
      const checkout = await openCheckout(open);
      await sendEvent(open, 'payment.captured', checkout, await captureUnheard(open, checkout));
      if (status === 'ALLOCATED') await open.allocate(checkout.orderId);
      await open.advance(480);
      const changes = { amountPaise: 5 };
      const second = await captureUnheard(open, checkout, changes);
      await sendEvent(open, 'payment.captured', checkout, second, changes);
      const state = await stateOf(open, checkout.orderId);
      expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'SECOND_CAPTURE' });
      expect((await paymentOrderRow(open, checkout.paymentOrderId)).status).toBe('PAID');
      const payments = await paymentsOf(open, checkout.gatewayOrderId);
      expect(payments.map(({ disposition }) => disposition)).toEqual(['APPLIED', 'SECOND']);
    },
  );

  it('is stored if it has no effect or cannot be read', async ({ open }) => {
    const checkout = await openCheckout(open);
    expect(await sendEvent(open, 'payment.authorized', checkout, 'pay_auth')).toEqual(accepted);
    expect((await inboxOf(open, checkout.gatewayOrderId)).map(({ status }) => status)).toEqual([
      'IGNORED',
    ]);
    const body = 'neither JSON nor \u0000 anything';
    expect(await deliver(open, { body, signature: signatureOf(body) })).toEqual(accepted);
    expect(await deliver(open, { body, signature: signatureOf(body) })).toEqual(repeated);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await deliver(open, { body: deep, signature: signatureOf(deep) })).toEqual(accepted);
    const unreadable = await open.database.db.webhookEvent.findMany({
      where: { status: 'UNREADABLE' },
    });
    expect(unreadable).toHaveLength(2);
    expect(unreadable[0]?.purgeAfter).not.toBeNull();
    expect((await stateOf(open, checkout.orderId)).status).toBe('PENDING');
  });
});
