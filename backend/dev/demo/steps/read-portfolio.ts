import { addGrams, formatGrams, parseGrams } from '../../../src/money/index.ts';
import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';

/** Checks that the balance is the sum of the grams that were bought. */
export const readPortfolio: Step = {
  title: 'The portfolio',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { body } = await api.get('/v1/portfolio');
    const { order, payment } = demo.readState('buy');
    const weights = [order, demo.readState('secondOrder')].map(({ grams }) =>
      parseGrams(expectPresent(grams, 'weight of an order')),
    );
    const bought = formatGrams(addGrams(...weights));
    expectThat(body.balance === bought, `the balance is ${body.balance} g, bought were ${bought}`);
    const paid = payment.amount_paise + demo.readState('quote').totalPaise;
    expectThat(body.investedPaise === paid, `invested reads ${body.investedPaise}, paid ${paid}`);
    const { body: passbook } = await api.get('/v1/portfolio/passbook');
    expectThat(passbook.holding.balance === bought, 'the passbook holds something else');
    const { balance, investedPaise, currentValuePaise, profitLossPaise, profitLossPct } = body;
    return [
      `${showGrams(balance)}, invested ${showPaise(investedPaise)} with tax,` +
        ` now worth ${showPaise(currentValuePaise)}`,
      `profit and loss ${showPaise(profitLossPaise)} (${profitLossPct} %)`,
    ];
  },
};
