import type { AdminClient } from '@digital-gold/client';
import type { Demo, Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { placeBuy } from './buy-gold.ts';
import { payAtCheckout, waitForOrder } from './pay-and-allocate.ts';
import { approvedCustomer } from './pay-wrong-amount.ts';
import { signInOperator } from './sign-in-operator.ts';

const first = 'sandbox';
const second = 'cashfree';
const knownCodes = ['sandbox', 'cashfree', 'razorpay'] as const;

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

/** Puts the two gateways first while `act` runs, in use whatever an operator has set. */
const withPriority = async <T>(api: AdminClient, act: () => Promise<T>): Promise<T> => {
  const { body: before } = await api.get('/v1/payment-gateways');
  for (const code of [first, second]) {
    await api.patch('/v1/payment-gateways/{code}', { path: { code }, body: { enabled: true } });
  }
  await api.put('/v1/payment-gateways/default', { body: { code: first } });
  await api.put('/v1/payment-gateways/priority', { body: { codes: [first, second] } });
  try {
    return await act();
  } finally {
    const usual = knownCodes.find((code) =>
      before.items.some((item) => item.isDefault && item.code === code),
    );
    if (usual !== undefined)
      await api.put('/v1/payment-gateways/default', { body: { code: usual } });
    const codes = knownCodes
      .filter((code) => before.priority.includes(code))
      .toSorted((one, other) => before.priority.indexOf(one) - before.priority.indexOf(other));
    await api.put('/v1/payment-gateways/priority', { body: { codes } });
  }
};

/** A gateway that fails costs nobody a purchase: the next one takes the payment. */
export const failOver: Step = {
  title: 'A gateway fails, and the payment goes to the second one',
  async run(demo) {
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const { customer, buy } = await withPriority(operator.api, () => buyPastRefusal(demo));
    const { gateway } = buy.payment;
    expectThat(gateway === second, `the payment order is at ${gateway}`);
    await payAtCheckout(demo, buy.gatewayOrderId, { deliver: 'webhook' });
    const order = await waitForOrder(demo, customer, buy.order.id, 'ALLOCATED');
    const grams = expectPresent(order.grams, 'weight of the allocated order');
    return [
      `priority: ${first}, ${second}; ${first} refuses to create an order`,
      `the same request: checkout ${buy.gatewayOrderId} at ${gateway}`,
      `${showPaise(buy.payment.amount_paise)} captured there, ${showGrams(grams)} allocated`,
    ];
  },
};
