import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { portfolioWire, sellQuoteWire, sellWire } from '../wire.ts';

/** Grams reserved, sold at the provider and debited; the payout is written with it. */
export const sellGold: Step = {
  title: 'The customer sells 0.05 g',
  async run(demo) {
    const { api } = demo.recall('customer');
    const wanted = { unit: 'GRAMS', amount: '0.05' } as const;
    const { body: quote } = await api.ask({
      method: 'POST',
      path: '/gold/quote/sell',
      body: wanted,
      status: 201,
      read: sellQuoteWire,
    });
    const bodyOf = (amount: string) => ({
      ...wanted,
      amount,
      bank_account_id: demo.recall('bankAccount').id,
      idempotency_key: `demo-${demo.random.uuid()}`,
    });
    await api.refused({
      method: 'POST',
      path: '/gold/sell',
      body: bodyOf('1'),
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
    });
    const body = { ...bodyOf(wanted.amount), quote_id: quote.id };
    const request = { method: 'POST', path: '/gold/sell', body, read: sellWire } as const;
    const { body: sell } = await api.ask({ ...request, status: 201 });
    const { order, payout } = sell;
    expectThat(order.proceeds_paise === quote.proceedsPaise, 'it yields other than was quoted');
    expectThat(payout.amountPaise === quote.proceedsPaise, `paid out are ${payout.amountPaise}`);
    const again = await api.ask(request);
    expectThat(again.body.order.id === order.id, 'the same key made a second sell');
    demo.keep('sell', sell);
    const { body: left } = await api.ask({
      method: 'GET',
      path: '/portfolio',
      read: portfolioWire,
    });
    return [
      'more than there is: 400 INSUFFICIENT_BALANCE; the same key again: the same sell',
      `${showGrams(order.grams)} at ${showPaise(quote.pricePerGramPaise)}:` +
        ` ${showPaise(order.proceeds_paise)}, nothing withheld`,
      `left are ${showGrams(left.balance)}, invested ${showPaise(left.investedPaise)}`,
    ];
  },
};
