import { z } from 'zod';
import {
  averagePrice,
  formatGrams,
  toPercentNumber,
  toSafePaise,
  valueHolding,
  type Paise,
} from '../../money/index.ts';
import { exampleOf } from '../../platform/http/index.ts';
import type { Holding } from './holdings.types.ts';

const gramsText = z.string().regex(/^\d{1,12}\.\d{4,8}$/u);

export const holdingView = z.object({
  balance: gramsText,
  reserved: gramsText,
  investedPaise: z.int().min(0),
  avgPricePaise: z.int().min(0),
});
holdingView.register(z.globalRegistry, {
  id: 'Holding',
  description: 'The gold that a customer holds, and the amount that they paid for it.',
  examples: [
    { balance: '0.0668', reserved: '0.0000', investedPaise: 100_050, avgPricePaise: 1_497_754 },
  ],
});

export const portfolioView = holdingView.extend({
  currentValuePaise: z.int().min(0),
  profitLossPaise: z.int(),
  profitLossPct: z.number(),
  sellPricePaise: z.int().positive(),
  asOf: z.iso.datetime(),
});
portfolioView.register(z.globalRegistry, {
  id: 'Portfolio',
  description: 'A holding with its value at the live sell price.',
  examples: [
    {
      balance: '0.0668',
      reserved: '0.0000',
      investedPaise: 100_050,
      avgPricePaise: 1_497_754,
      currentValuePaise: 94_188,
      profitLossPaise: -5862,
      profitLossPct: -5.86,
      sellPricePaise: 1_410_000,
      asOf: '2026-01-15T09:30:00.000Z',
    },
  ],
});

/** The passbook of a customer. Its ledger is empty by design (contract: customers > Portfolio). */
export const passbookView = z.object({
  holding: holdingView,
  entries_available: z.literal(false),
  entries: z.array(z.unknown()).max(0),
});
passbookView.register(z.globalRegistry, {
  id: 'Passbook',
  description: 'The holding. Ledger entries are not available, so `entries` is always empty.',
  examples: [{ holding: exampleOf(holdingView), entries_available: false, entries: [] }],
});

export const presentHolding = (holding: Holding): z.output<typeof holdingView> => ({
  balance: formatGrams(holding.balance),
  reserved: formatGrams(holding.reserved),
  investedPaise: toSafePaise(holding.investedPaise),
  avgPricePaise: toSafePaise(averagePrice(holding.investedPaise, holding.balance)),
});

/** Presents a holding with its value at a live sell price. */
export const presentPortfolio = (
  holding: Holding,
  price: { readonly sellPaise: Paise; readonly asOf: Date },
): z.output<typeof portfolioView> => {
  const value = valueHolding(holding, price.sellPaise);
  return {
    ...presentHolding(holding),
    currentValuePaise: toSafePaise(value.currentValuePaise),
    profitLossPaise: toSafePaise(value.profitLossPaise),
    profitLossPct: toPercentNumber(value.profitLossBps),
    sellPricePaise: toSafePaise(price.sellPaise),
    asOf: price.asOf.toISOString(),
  };
};

export type PortfolioView = z.output<typeof portfolioView>;
