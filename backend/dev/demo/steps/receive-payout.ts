import type { Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/** Up to ₹1,00,000 nobody has to approve it; the provider's webhook says that it is paid. */
export const receivePayout: Step = {
  title: 'The money arrives',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { order, payout: made } = demo.readState('sale');
    const payout = await until({
      timers: demo.timers,
      seconds: 20,
      look: async () => (await api.get('/v1/payouts/{id}', { path: { id: made.id } })).body,
      isThere: ({ status }) => status === 'PAID',
      otherwise: ({ status }) => `payout ${made.id} is still ${status}`,
    });
    const { body: sold } = await api.get('/v1/gold/orders/{id}', { path: { id: order.id } });
    expectThat(sold.status === 'COMPLETED', `the sale reads ${sold.status}`);
    const books = await demo.sandbox.get('/_control/payouts');
    const key = `${payout.id.replaceAll('-', '')}-`;
    const paid = books.body.items.filter(({ referenceId }) => referenceId?.startsWith(key));
    expectThat(paid.length === 1, `the payout provider has ${paid.length} payouts of it`);
    expectThat(paid[0]?.amountPaise === payout.amountPaise, 'the provider paid another amount');
    return [
      `${showPaise(payout.amountPaise)} to ••••${payout.accountLast4} by IMPS, UTR ${payout.utr}`,
      'the sale: CONFIRMED -> COMPLETED; the payout provider paid once',
    ];
  },
};
