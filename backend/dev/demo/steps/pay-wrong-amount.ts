import type { Demo, DemoCustomer, Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { approveKyc } from './approve-kyc.ts';
import { placeBuy } from './buy-gold.ts';
import { payAtCheckout, waitForOrder } from './pay-and-allocate.ts';
import { signInCustomer } from './sign-in.ts';
import { submitKyc } from './submit-kyc.ts';
import { uploadDocuments } from './upload-documents.ts';

/** Signs a customer of this name up, whose KYC is approved. */
export const approvedCustomer = async (demo: Demo, fullName: string): Promise<DemoCustomer> => {
  const { customer } = await signInCustomer(demo, fullName);
  await submitKyc(customer, await uploadDocuments(customer));
  await approveKyc(demo.readState('operator'), customer.userId);
  return customer;
};

/**
 * Money that does not fit waits for a person, with a reason; nobody gets gold for it and nobody
 * loses it. The customer is another one, so that the order under review is nobody else's.
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
