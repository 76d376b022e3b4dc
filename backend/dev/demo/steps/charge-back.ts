import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { placeBuy } from './buy-gold.ts';
import { payAtCheckout, waitForOrder } from './pay-and-allocate.ts';
import { signInOperator } from './sign-in-operator.ts';

/** Loses a dispute over the whole payment; returns the gateway's reference of it. */
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
