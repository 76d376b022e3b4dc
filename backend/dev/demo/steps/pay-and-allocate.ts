import type { Demo, DemoCustomer, Order, Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import type { CheckoutPayment } from '../unpublished-apis.ts';
import { until } from '../until.ts';

/** Pays as the customer at the gateway's checkout; returns what it hands to the device. */
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
    seconds: 20,
    look: async () => (await api.get('/v1/gold/orders/{id}', { path: { id: orderId } })).body,
    isThere: (order) => order.status === status,
    otherwise: (order) => `order ${orderId} is still ${order.status}, not ${status}`,
  });

/** The gateway tells us, each event twice; the worker buys the gold at the provider, once. */
export const payAndAllocate: Step = {
  title: 'The customer pays, and the gold is allocated',
  async run(demo) {
    const customer = demo.readState('customer');
    const { order, payment, gatewayOrderId } = demo.readState('buy');
    const paid = await payAtCheckout(demo, gatewayOrderId, { deliver: 'duplicate' });
    const allocated = await waitForOrder(demo, customer, order.id, 'ALLOCATED');
    const path = { id: payment.id };
    const { body } = await customer.api.get('/v1/payments/orders/{id}', { path });
    expectThat(body.status === 'PAID', `the payment order reads ${body.status}`);
    const grams = expectPresent(allocated.grams, 'weight of the allocated order');
    expectThat(grams === order.grams, `allocated are ${grams} g`);
    return [
      `payment ${paid.gateway_payment_id} of ${showPaise(payment.amount_paise)} captured;` +
        ' every webhook came twice',
      `PENDING -> PAID -> ALLOCATED: ${showGrams(grams)}`,
    ];
  },
};
