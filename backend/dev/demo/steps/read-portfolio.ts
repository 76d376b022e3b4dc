import { z } from 'zod';
import { addGrams, formatGrams, parseGrams } from '../../../src/money/index.ts';
import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { portfolioWire } from '../wire.ts';

const passbookWire = z.object({
  holding: z.object({ balance: z.string() }),
  entries_available: z.literal(false),
});

/** What is held is the sum of what was bought. */
export const readPortfolio: Step = {
  title: 'The portfolio',
  async run(demo) {
    const { api } = demo.recall('customer');
    const { body } = await api.ask({ method: 'GET', path: '/portfolio', read: portfolioWire });
    const { order, payment } = demo.recall('buy');
    const weights = [order, demo.recall('secondOrder')].map(({ grams }) => parseGrams(grams));
    const bought = formatGrams(addGrams(...weights));
    expectThat(body.balance === bought, `the balance is ${body.balance} g, bought were ${bought}`);
    const paid = payment.amount_paise + demo.recall('quote').totalPaise;
    expectThat(body.investedPaise === paid, `invested reads ${body.investedPaise}, paid ${paid}`);
    const { body: passbook } = await api.ask({
      method: 'GET',
      path: '/portfolio/passbook',
      read: passbookWire,
    });
    expectThat(passbook.holding.balance === bought, 'the passbook holds something else');
    const { balance, investedPaise, currentValuePaise, profitLossPaise, profitLossPct } = body;
    return [
      `${showGrams(balance)}, invested ${showPaise(investedPaise)} with tax,` +
        ` now worth ${showPaise(currentValuePaise)}`,
      `profit and loss ${showPaise(profitLossPaise)} (${profitLossPct} %)`,
    ];
  },
};
