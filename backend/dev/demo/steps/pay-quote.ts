import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { payAtCheckout, waitForOrder } from './pay-and-allocate.ts';

/** Makes the payment order of the quote; a second one of the same quote is refused. */
const payForQuote = async (demo: Demo) => {
  const { api } = demo.readState('customer');
  const { id: quote_id, totalPaise } = demo.readState('quote');
  const order = () =>
    api.post('/v1/payments/orders', {
      body: {
        quote_id,
        idempotency_key: `demo-${demo.random.uuid()}`,
        method: 'upi',
        terms_accepted: true,
      },
    });
  const payment = await expectStatus(201, order());
  expectThat(payment.amount_paise === totalPaise, `it asks for ${payment.amount_paise} paise`);
  await expectRefusal(409, 'QUOTE_USED', order());
  return payment;
};

/**
 * The other way to a buy: quote, payment order, and the checkout's answer brought by the client.
 */
export const payQuote: Step = {
  title: 'The second way: the quote is paid for, and no webhook comes',
  async run(demo) {
    const customer = demo.readState('customer');
    const payment = await payForQuote(demo);
    const gateway_order_id = payment.checkout?.gateway_order_id ?? '';
    const paid = await payAtCheckout(demo, gateway_order_id, { deliver: 'none' });
    const { gateway_payment_id, signature } = paid;
    const verify = (claimed: string) =>
      customer.api.post('/v1/payments/orders/{id}/verify', {
        path: { id: payment.id },
        body: { gateway_order_id, gateway_payment_id, signature: claimed },
      });
    const madeUp = '0'.repeat(signature.length);
    await expectRefusal(400, 'SIGNATURE_MISMATCH', verify(madeUp));
    const { body } = await verify(signature);
    expectThat(body.verified, 'the payment is not verified');
    expectThat(body.payment.status === 'PAID', `the payment order reads ${body.payment.status}`);
    const order = await waitForOrder(demo, customer, payment.order_id, 'ALLOCATED');
    demo.saveState('secondOrder', order);
    const grams = expectPresent(order.grams, 'weight of the allocated order');
    return [
      'another order for the same quote is refused: 409 QUOTE_USED',
      'a made-up signature is refused: 400 SIGNATURE_MISMATCH',
      `the true one: the gateway is asked, confirms ${showPaise(payment.amount_paise)},` +
        ` and ${showGrams(grams)} are allocated`,
    ];
  },
};
