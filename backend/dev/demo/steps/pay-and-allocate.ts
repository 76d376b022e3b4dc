import { payAtCheckout, waitForOrder } from '../acts/buy.ts';
import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { paymentWire } from '../wire.ts';

/** The gateway tells us, each event twice; the worker buys the gold at the provider, once. */
export const payAndAllocate: Step = {
  title: 'The customer pays, and the gold is allocated',
  async run(demo) {
    const customer = demo.recall('customer');
    const { order, payment, gatewayOrderId } = demo.recall('buy');
    const paid = await payAtCheckout(demo, gatewayOrderId, { deliver: 'duplicate' });
    const allocated = await waitForOrder(demo, customer, order.id, 'ALLOCATED');
    const { body } = await customer.api.ask({
      method: 'GET',
      path: `/payments/orders/${payment.id}`,
      read: paymentWire,
    });
    expectThat(body.status === 'PAID', `the payment order reads ${body.status}`);
    expectThat(allocated.grams === order.grams, `allocated are ${allocated.grams} g`);
    return [
      `payment ${paid.gateway_payment_id} of ${showPaise(payment.amount_paise)} captured;` +
        ' every webhook came twice',
      `PENDING -> PAID -> ALLOCATED: ${showGrams(allocated.grams)}`,
    ];
  },
};
