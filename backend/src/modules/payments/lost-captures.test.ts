import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openCheckout, openPayments, type OpenPayments } from '#test/support/open-payments.ts';
import { paise } from '../../money/index.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { findPaymentOrder } from './index.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments();
});
afterEach(() => open.sandbox.control('DELETE', '/faults'));
afterAll(() => open.close());

type Checkout = Awaited<ReturnType<typeof openCheckout>>;
const minuteMs = 60_000;

/** The customer pays, and the gateway's webhook is lost; answers what the checkout then has. */
const payUnheard = async ({ gatewayOrderId }: Checkout, play: object = {}) => {
  const { body } = await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, {
    outcome: 'captured',
    deliver: 'none',
    ...play,
  });
  return {
    gateway_order_id: gatewayOrderId,
    gateway_payment_id: String(body['gateway_payment_id']),
    signature: String(body['signature']),
  };
};

const breakGateway = (fault = 'error', times = 20) =>
  open.sandbox.control('POST', '/faults', {
    collaborator: 'sandbox-gateway',
    operation: '*',
    fault,
    times,
  });

const janitor = (): Promise<void> => runSweeps(open.payments.sweeps);

const asked = async (operation: string): Promise<number> => {
  const path = `/journal?collaborator=sandbox-gateway&operation=${operation}`;
  const { body } = await open.sandbox.control('GET', path);
  return (body['entries'] as unknown[]).length;
};

describe('captures that nobody told us of', () => {
  it('are found by the janitor while the lock stands', async () => {
    const checkout = await openCheckout(open);
    await payUnheard(checkout);
    open.clock.advance(5 * minuteMs);
    await janitor();
    expect(await open.orders.state(checkout.orderId)).toMatchObject({
      status: 'PAID',
      moves: ['PENDING>PAID'],
      allocations: 1,
    });
  });

  it('are found before an order is given up, and are late then', async () => {
    const checkout = await openCheckout(open);
    await payUnheard(checkout);
    open.clock.set(checkout.lockEndsAt);
    expect(await open.payments.pollGateways(checkout.orderId)).toBe(true);
    const state = await open.orders.state(checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'LATE_CAPTURE' });
  });

  it('are found after the order was given up too', async () => {
    const checkout = await openCheckout(open);
    open.clock.set(checkout.lockEndsAt);
    await open.orders.set(checkout.orderId, 'FAILED');
    expect(await open.payments.expirePaymentOrders(open.database.db, checkout.orderId)).toBe(1);
    expect(await open.payments.expirePaymentOrders(open.database.db, checkout.orderId)).toBe(0);
    await payUnheard(checkout);
    open.clock.advance(2 * minuteMs);
    await janitor();
    const state = await open.orders.state(checkout.orderId);
    expect(state).toMatchObject({ status: 'MANUAL_REVIEW', code: 'LATE_CAPTURE' });
    const paid = await findPaymentOrder(open.database.db, checkout.paymentOrderId);
    expect(paid?.status).toBe('PAID');
  });

  it('are found for a payment order that never learned its gateway order', async () => {
    const order = await open.orders.place();
    const paymentOrderId = await open.payments.insertPaymentOrder(open.database.db, {
      userId: order.userId,
      orderId: order.orderId,
      gateway: 'sandbox',
      amountPaise: paise(order.amountPaise),
      expiresAt: order.lockEndsAt,
    });
    const made = await open.sandbox.gateway('POST', '/v1/orders', {
      amount_paise: 100_000,
      currency: 'INR',
      receipt: paymentOrderId,
    });
    const gatewayOrderId = String(made.body['id']);
    await payUnheard({ ...order, paymentOrderId, gatewayOrderId });
    open.clock.advance(5 * minuteMs);
    await janitor();
    expect((await open.orders.state(order.orderId)).status).toBe('PAID');
  });

  it('are asked for once by two janitors, and not before their time', async () => {
    const checkout = await openCheckout(open);
    const before = await asked('list-payments');
    await janitor();
    expect(await asked('list-payments')).toBe(before);
    // Those of the other tests are paid or over by then.
    open.clock.advance(6 * minuteMs);
    const otherwise = await open.database.db.paymentOrder.updateMany({
      where: { id: { not: checkout.paymentOrderId } },
      data: { lastAskedAt: open.clock.now() },
    });
    expect(otherwise.count).toBeGreaterThan(0);
    await Promise.all([janitor(), janitor()]);
    expect(await asked('list-payments')).toBe(before + 1);
  });

  it('may be there still when the gateway gives no answer', async () => {
    const checkout = await openCheckout(open);
    await payUnheard(checkout);
    await breakGateway('reset');
    expect(await open.payments.pollGateways(checkout.orderId)).toBe(false);
    expect((await open.orders.state(checkout.orderId)).status).toBe('PENDING');
  });
});
