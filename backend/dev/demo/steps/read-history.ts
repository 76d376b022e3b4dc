import { parseRupees } from '../../../src/money/index.ts';
import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { orderWire, pageWire } from '../wire.ts';

const ordersWire = pageWire(orderWire);

/** Newest first, and the same by either way. */
export const readHistory: Step = {
  title: 'The history',
  async run(demo) {
    const { api } = demo.recall('customer');
    const { body: history } = await api.ask({
      method: 'GET',
      path: '/portfolio/history',
      read: ordersWire,
    });
    const { body: allocated } = await api.ask({
      method: 'GET',
      path: '/gold/orders?status=ALLOCATED&type=BUY',
      read: ordersWire,
    });
    const expected = [demo.recall('buy').order.id, demo.recall('secondOrder').id];
    for (const { items } of [history, allocated]) {
      const ids = items.map(({ id }) => id);
      const isSame = ids.toSorted().join() === expected.toSorted().join();
      expectThat(isSame, `the orders are ${ids.join(', ')}`);
    }
    return history.items.map(
      ({ status, amount_inr, grams }) =>
        `${status}  ${showGrams(grams)} for ${showPaise(parseRupees(amount_inr))}`,
    );
  },
};
