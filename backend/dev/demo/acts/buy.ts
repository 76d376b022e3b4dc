import type { Demo, DemoCustomer, PlacedBuy } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { until } from '../until.ts';
import { buyWire, orderWire, playedWire, type Order } from '../wire.ts';

/** Buys for `amount` rupees; answers the order with its checkout. */
export const placeBuy = async (
  { api }: DemoCustomer,
  body: { readonly amount: string; readonly idempotency_key: string },
): Promise<PlacedBuy> => {
  const answer = await api.ask({
    method: 'POST',
    path: '/gold/buy',
    body: { unit: 'INR', ...body },
    status: 201,
    read: buyWire,
  });
  const { order, payment } = answer.body;
  expectThat(order.status === 'PENDING', `a new order reads ${order.status}`);
  const { checkout } = payment;
  expectThat(checkout !== undefined, `payment order ${payment.id} has no checkout`);
  return { order, payment, gatewayOrderId: checkout.gateway_order_id };
};

/** Plays the customer at the gateway's checkout; answers what it hands to the customer's device. */
export const payAtCheckout = async (
  demo: Demo,
  gatewayOrderId: string,
  how: { readonly deliver: 'webhook' | 'duplicate' | 'none'; readonly amountPaise?: number },
) => {
  const { body } = await demo.sandbox.ask({
    method: 'POST',
    path: `/payments/${gatewayOrderId}`,
    body: { outcome: 'captured', method: 'upi', ...how },
    read: playedWire,
  });
  return body;
};

/** Waits until the order reads `status`, as its customer sees it. */
export const waitForOrder = (
  demo: Demo,
  { api }: DemoCustomer,
  orderId: string,
  status: string,
): Promise<Order> =>
  until({
    timers: demo.timers,
    seconds: 20,
    look: async () =>
      (await api.ask({ method: 'GET', path: `/gold/orders/${orderId}`, read: orderWire })).body,
    isThere: (order) => order.status === status,
    otherwise: (order) => `order ${orderId} is still ${order.status}, not ${status}`,
  });
