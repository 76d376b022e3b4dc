import type { Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/** Grams reserved, sold at the provider and debited; the payout is written with it. */
export const sellGold: Step = {
  title: 'The customer sells 0.05 g',
  async run(demo) {
    const { api } = demo.readState('customer');
    const wanted = { unit: 'GRAMS', amount: '0.05' } as const;
    const quote = await expectStatus(201, api.post('/v1/gold/quote/sell', { body: wanted }));
    expectThat(quote.withheldPaise === 0, `withheld are ${quote.withheldPaise} paise`);
    const bodyOf = (amount: string) => ({
      ...wanted,
      amount,
      bank_account_id: demo.readState('bankAccount').id,
      idempotency_key: `demo-${demo.random.uuid()}`,
    });
    const tooMuch = api.post('/v1/gold/sell', { body: bodyOf('1') });
    await expectRefusal(400, 'INSUFFICIENT_BALANCE', tooMuch);
    const body = { ...bodyOf(wanted.amount), quote_id: quote.id };
    const { order, ...sold } = await expectStatus(201, api.post('/v1/gold/sell', { body }));
    const payout = expectPresent(sold.payout, 'payout of the sale');
    const grams = expectPresent(order.grams, 'weight of the sale');
    expectThat(order.proceeds_paise === quote.proceedsPaise, 'it yields other than was quoted');
    expectThat(payout.amountPaise === quote.proceedsPaise, `paid out are ${payout.amountPaise}`);
    const again = await expectStatus(200, api.post('/v1/gold/sell', { body }));
    expectThat(again.order.id === order.id, 'the same key made a second sale');
    demo.saveState('sale', { order, payout });
    const { body: left } = await api.get('/v1/portfolio');
    return [
      'more than there is: 400 INSUFFICIENT_BALANCE; the same key again: the same sale',
      `${showGrams(grams)} at ${showPaise(quote.pricePerGramPaise)}:` +
        ` ${showPaise(quote.proceedsPaise)}, nothing withheld`,
      `left are ${showGrams(left.balance)}, invested ${showPaise(left.investedPaise)}`,
    ];
  },
};
