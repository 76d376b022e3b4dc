import type { Demo, DemoCustomer, Order, PlacedBuy } from './demo.types.ts';
import { expectStatus } from './expect-answer.ts';
import { expectThat } from './step-failure.ts';
import type { CheckoutPayment } from './unpublished-apis.ts';
import { until } from './until.ts';

/** Buys for `amount` rupees. Returns the order with its checkout. */
export const placeBuy = async (
  { api }: DemoCustomer,
  body: { readonly amount: string; readonly idempotency_key: string },
): Promise<PlacedBuy> => {
  const call = api.post('/v1/gold/buy', { body: { unit: 'INR', ...body } });
  const { order, payment } = await expectStatus(201, call);
  expectThat(order.status === 'PENDING', `a new order reads ${order.status}`);
  const { checkout } = payment;
  expectThat(checkout !== undefined, `payment order ${payment.id} has no checkout`);
  return { order, payment, gatewayOrderId: checkout.gateway_order_id };
};

/** Pays as the customer at the gateway's checkout. Returns the checkout's answer to the device. */
export const payAtCheckout = async (
  demo: Demo,
  gatewayOrderId: string,
  how: Pick<CheckoutPayment, 'deliver' | 'amountPaise'>,
) => {
  const { body } = await demo.sandbox.post('/_control/payments/{id}', {
    path: { id: gatewayOrderId },
    body: { outcome: 'captured', method: 'upi', ...how },
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
    seconds: 60,
    look: async () => (await api.get('/v1/gold/orders/{id}', { path: { id: orderId } })).body,
    isThere: (order) => order.status === status,
    otherwise: (order) => `order ${orderId} is still ${order.status}, not ${status}`,
  });
