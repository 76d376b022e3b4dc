import { payAtCheckout, placeBuy, waitForOrder } from '../buys.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { firstGateway, secondGateway } from '../gateways.ts';
import { approvedCustomer, signInOperator } from '../people.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/**
 * Money that does not match waits for an operator, with a reason. It buys no gold, and it is not
 * lost. Each chapter has its own customer, so that the order under review affects no other chapter.
 */
export const payWrongAmount: Step = {
  title: 'Another customer pays the wrong amount: a person looks at it',
  async run(demo) {
    const customer = await approvedCustomer(demo, 'Vikram Shah');
    const key = `demo-${demo.random.uuid()}`;
    const buy = await placeBuy(customer, { amount: '500', idempotency_key: key });
    const how = { deliver: 'webhook', amountPaise: 49_900 } as const;
    const paid = await payAtCheckout(demo, buy.gatewayOrderId, how);
    const order = await waitForOrder(demo, customer, buy.order.id, 'MANUAL_REVIEW');
    expectThat(
      order.manual_review_code === 'AMOUNT_MISMATCH',
      `the review's code is ${order.manual_review_code ?? 'missing'}`,
    );
    const { body } = await customer.api.get('/v1/portfolio');
    expectThat(body.investedPaise === 0, `${body.balance} g were allocated all the same`);
    const gatewayPaymentId = paid.gateway_payment_id;
    const { api: operator } = demo.readState('operator');
    const query = { userId: customer.userId };
    const { body: reviews } = await operator.get('/v1/reviews', { query });
    expectThat(reviews.items[0]?.orderId === order.id, 'the list of reviews lacks the order');
    const { body: overview } = await operator.get('/v1/dashboard/overview');
    const waiting = overview.attention.find(({ kind }) => kind === 'buy_review');
    expectThat(waiting !== undefined, 'the overview does not ask for attention');
    demo.saveState('reviewed', { customer, orderId: order.id, gatewayPaymentId });
    return [
      `${showPaise(49_900)} came for an order of ${showPaise(buy.payment.amount_paise)}:` +
        ` MANUAL_REVIEW, ${order.manual_review_code}`,
      `"${order.manual_review_reason ?? ''}"`,
      `the overview asks for attention: ${waiting.count} at ${waiting.link}`,
      'no gold is allocated; the money stays where it is until an operator decides',
    ];
  },
};

/** Ends a review: the gateway is queried, to find out whether it really refunded the payment. */
export const payBack: Step = {
  title: 'The money is paid back, and a super admin ends the review',
  async run(demo) {
    const { customer, orderId, gatewayPaymentId } = demo.readState('reviewed');
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const resolve = (reference: string) =>
      operator.api.post('/v1/orders/{id}/resolve', {
        path: { id: orderId },
        body: { resolution: 'REFUNDED', note: 'paid the wrong amount', reference },
      });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', resolve('made-up'));
    const { body: refund } = await demo.sandbox.post('/_control/refunds/{id}', {
      path: { id: gatewayPaymentId },
      body: {},
    });
    const { reference } = refund;
    const { body: resolved } = await resolve(reference);
    expectThat('refund_reference' in resolved, 'a second operator has to approve it');
    expectThat(resolved.refund_reference === reference, 'the order does not name the refund');
    await waitForOrder(demo, customer, orderId, 'FAILED');
    return [
      'before the gateway has paid it back: 409, whatever reference is given',
      `${showPaise(49_900)} paid back at the gateway, ${reference}`,
      'the order: MANUAL_REVIEW -> FAILED, with that reference',
    ];
  },
};

/** Loses a dispute over the whole payment. Returns the gateway's reference of it. */
const loseDispute = async ({ sandbox }: Demo, gatewayPaymentId: string): Promise<string> => {
  const { body } = await sandbox.post('/_control/disputes/{id}', {
    path: { id: gatewayPaymentId },
    body: {},
  });
  return body.reference;
};

/**
 * Money that goes away after the gold was allocated: the gold is reserved at once, and a person
 * decides whether the customer keeps it at the house's loss, or the house recovers it.
 */
export const chargeBack: Step = {
  title: 'A chargeback: the gold is reserved, and a super admin recovers it',
  async run(demo) {
    const { customer } = demo.readState('reviewed');
    const key = `demo-${demo.random.uuid()}`;
    const buy = await placeBuy(customer, { amount: '500', idempotency_key: key });
    const orderId = buy.order.id;
    const paid = await payAtCheckout(demo, buy.gatewayOrderId, { deliver: 'webhook' });
    const allocated = await waitForOrder(demo, customer, orderId, 'ALLOCATED');
    const grams = expectPresent(allocated.grams, 'weight of the order');
    const reference = await loseDispute(demo, paid.gateway_payment_id);
    const order = await waitForOrder(demo, customer, orderId, 'MANUAL_REVIEW');
    expectThat(
      order.manual_review_code === 'PAYMENT_REVERSED',
      `the review's code is ${order.manual_review_code ?? 'missing'}`,
    );
    const held = (await customer.api.get('/v1/portfolio')).body;
    expectThat(held.reserved === grams, `${held.reserved} g are reserved, not ${grams}`);

    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const resolve = (resolution: 'RECOVER' | 'REFUNDED') =>
      operator.api.post('/v1/orders/{id}/resolve', {
        path: { id: orderId },
        body: { resolution, note: 'the bank took the money back', reference },
      });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', resolve('REFUNDED'));
    const { body: resolved } = await resolve('RECOVER');
    expectThat(resolved.status === 'FAILED', `the order reads ${resolved.status}`);
    expectThat(resolved.refund_reference === reference, 'the order does not name the dispute');
    const left = (await customer.api.get('/v1/portfolio')).body;
    expectThat(left.balance === '0.0000', `${left.balance} g are still in the account`);
    return [
      `${showPaise(buy.payment.amount_paise)} lost in dispute ${reference}`,
      `ALLOCATED -> MANUAL_REVIEW, ${order.manual_review_code}; ${showGrams(grams)} reserved`,
      'REFUNDED does not fit while the customer has the gold: 409',
      'RECOVER: the order is FAILED, its payment order REFUNDED, the gold the house figure',
    ];
  },
};

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

/** A failing gateway costs no purchase: the next one takes the payment. */
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
