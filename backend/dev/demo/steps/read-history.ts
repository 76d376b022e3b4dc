import { parseRupees } from '../../../src/money/index.ts';
import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/** Newest first, and the same by either way. */
export const readHistory: Step = {
  title: 'The history',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { body: history } = await api.get('/v1/portfolio/history');
    const query = { status: 'ALLOCATED', type: 'BUY' } as const;
    const { body: allocated } = await api.get('/v1/gold/orders', { query });
    const expected = [demo.readState('buy').order.id, demo.readState('secondOrder').id];
    for (const { items } of [history, allocated]) {
      const ids = items.map(({ id }) => id);
      const isSame = ids.toSorted().join() === expected.toSorted().join();
      expectThat(isSame, `the orders are ${ids.join(', ')}`);
    }
    return history.items.map(({ status, amount_inr, grams }) => {
      const weight = showGrams(expectPresent(grams, 'weight of an order'));
      return `${status}  ${weight} for ${showPaise(parseRupees(amount_inr))}`;
    });
  },
};
