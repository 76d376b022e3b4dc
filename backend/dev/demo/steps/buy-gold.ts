import { placeBuy } from '../acts/buy.ts';
import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';

const amount = '1000.50';

/** Quote, order and payment order in one call; nothing is paid yet. */
export const buyGold: Step = {
  title: `The customer buys gold for ₹1,000.50`,
  async run(demo) {
    const buyKey = `demo-${demo.random.uuid()}`;
    demo.keep('buyKey', buyKey);
    const buy = await placeBuy(demo.recall('customer'), { amount, idempotency_key: buyKey });
    demo.keep('buy', buy);
    const { order, payment } = buy;
    expectThat(order.amount_inr === amount, `the order is for ${order.amount_inr} rupees`);
    expectThat(payment.amount_paise === 100_050, `the checkout asks for ${payment.amount_paise}`);
    return [
      `order ${order.id}, ${order.status}; the provider's transaction ${order.sg_tx_id}`,
      `${showGrams(order.grams)} for ${showPaise(order.gold_value_paise)}` +
        ` (of it ${showPaise(order.rounding_paise)} rounding) + GST ${showPaise(order.gst_paise)}`,
      `checkout ${buy.gatewayOrderId} asks for ${showPaise(payment.amount_paise)}`,
    ];
  },
};
