import { z } from 'zod';
import { payAtCheckout, waitForOrder } from '../acts/buy.ts';
import type { Demo, Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { paymentWire } from '../wire.ts';

const verifiedWire = z.object({ verified: z.literal(true), payment: paymentWire });

/** Makes the payment order of the quote; a second one of the same quote is refused. */
const payForQuote = async (demo: Demo) => {
  const { api } = demo.recall('customer');
  const { id: quote_id, totalPaise } = demo.recall('quote');
  const bodyWith = (idempotency_key: string) => ({
    quote_id,
    idempotency_key,
    method: 'upi',
    terms_accepted: true,
  });
  const request = { method: 'POST', path: '/payments/orders' } as const;
  const { body: payment } = await api.ask({
    ...request,
    body: bodyWith(`demo-${demo.random.uuid()}`),
    status: 201,
    read: paymentWire,
  });
  expectThat(payment.amount_paise === totalPaise, `it asks for ${payment.amount_paise} paise`);
  await api.refused({
    ...request,
    body: bodyWith(`demo-${demo.random.uuid()}`),
    status: 409,
    code: 'QUOTE_USED',
  });
  return payment;
};

/** The other way to a buy: quote, payment order, and the checkout's answer brought by the client. */
export const payQuote: Step = {
  title: 'The second way: the quote is paid for, and no webhook comes',
  async run(demo) {
    const customer = demo.recall('customer');
    const payment = await payForQuote(demo);
    const gateway_order_id = payment.checkout?.gateway_order_id ?? '';
    const paid = await payAtCheckout(demo, gateway_order_id, { deliver: 'none' });
    const { gateway_payment_id, signature } = paid;
    const verify = { method: 'POST', path: `/payments/orders/${payment.id}/verify` } as const;
    await customer.api.refused({
      ...verify,
      body: { gateway_order_id, gateway_payment_id, signature: '0'.repeat(signature.length) },
      status: 400,
      code: 'SIGNATURE_MISMATCH',
    });
    const { body } = await customer.api.ask({
      ...verify,
      body: { gateway_order_id, gateway_payment_id, signature },
      read: verifiedWire,
    });
    expectThat(body.payment.status === 'PAID', `the payment order reads ${body.payment.status}`);
    const order = await waitForOrder(demo, customer, payment.order_id, 'ALLOCATED');
    demo.keep('secondOrder', order);
    return [
      'another order for the same quote is refused: 409 QUOTE_USED',
      'a made-up signature is refused: 400 SIGNATURE_MISMATCH',
      `the true one: the gateway is asked, confirms ${showPaise(payment.amount_paise)},` +
        ` and ${showGrams(order.grams)} are allocated`,
    ];
  },
};
