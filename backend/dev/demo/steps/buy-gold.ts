import type { DemoCustomer, PlacedBuy, Step } from '../demo.types.ts';
import { expectStatus } from '../expect-answer.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

const amount = '1000.50';

/** Buys for `amount` rupees; returns the order with its checkout. */
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

/** Quote, order and payment order in one call; nothing is paid yet. */
export const buyGold: Step = {
  title: `The customer buys gold for ₹1,000.50`,
  async run(demo) {
    const buyKey = `demo-${demo.random.uuid()}`;
    demo.saveState('buyKey', buyKey);
    const buy = await placeBuy(demo.readState('customer'), { amount, idempotency_key: buyKey });
    demo.saveState('buy', buy);
    const { order, payment } = buy;
    expectThat(order.amount_inr === amount, `the order is for ${order.amount_inr} rupees`);
    expectThat(payment.amount_paise === 100_050, `the checkout asks for ${payment.amount_paise}`);
    const grams = expectPresent(order.grams, 'weight of the order');
    const gold = expectPresent(order.gold_value_paise, 'gold value of the order');
    const rounding = expectPresent(order.rounding_paise, 'rounding of the order');
    const gst = expectPresent(order.gst_paise, 'GST of the order');
    const txId = expectPresent(order.sg_tx_id, "provider's transaction of the order");
    return [
      `order ${order.id}, ${order.status}; the provider's transaction ${txId}`,
      `${showGrams(grams)} for ${showPaise(gold)}` +
        ` (of it ${showPaise(rounding)} rounding) + GST ${showPaise(gst)}`,
      `checkout ${buy.gatewayOrderId} asks for ${showPaise(payment.amount_paise)}`,
    ];
  },
};
