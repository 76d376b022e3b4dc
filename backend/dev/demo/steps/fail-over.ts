import type { Demo, Step } from '../demo.types.ts';
import { firstGateway, secondGateway } from '../gateways.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { placeBuy } from './buy-gold.ts';
import { payAtCheckout, waitForOrder } from './pay-and-allocate.ts';
import { approvedCustomer } from './pay-wrong-amount.ts';

/** Buys while the first gateway refuses to create an order. */
const buyPastRefusal = async (demo: Demo) => {
  const customer = await approvedCustomer(demo, 'Meera Iyer');
  await demo.sandbox.post('/_control/faults', {
    body: {
      collaborator: 'sandbox-gateway',
      operation: 'create-order',
      fault: 'error',
      status: 400,
    },
  });
  const key = `demo-${demo.random.uuid()}`;
  return { customer, buy: await placeBuy(customer, { amount: '750', idempotency_key: key }) };
};

/** A gateway that fails costs nobody a purchase: the next one takes the payment. */
export const failOver: Step = {
  title: 'A gateway fails, and the payment goes to the second one',
  async run(demo) {
    const { customer, buy } = await buyPastRefusal(demo);
    const { gateway } = buy.payment;
    expectThat(gateway === secondGateway, `the payment order is at ${gateway}`);
    await payAtCheckout(demo, buy.gatewayOrderId, { deliver: 'webhook' });
    const order = await waitForOrder(demo, customer, buy.order.id, 'ALLOCATED');
    const grams = expectPresent(order.grams, 'weight of the allocated order');
    return [
      `priority: ${firstGateway}, ${secondGateway}; ${firstGateway} refuses to create an order`,
      `the same request: checkout ${buy.gatewayOrderId} at ${gateway}`,
      `${showPaise(buy.payment.amount_paise)} captured there, ${showGrams(grams)} allocated`,
    ];
  },
};
