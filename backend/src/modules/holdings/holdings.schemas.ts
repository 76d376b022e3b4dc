import { z } from 'zod';
import {
  averagePrice,
  formatGrams,
  toPercentNumber,
  toSafePaise,
  valueHolding,
  type Paise,
} from '../../money/index.ts';
import type { Holding } from './holdings.types.ts';

const gramsText = z.string().regex(/^\d{1,12}\.\d{4,8}$/u);

export const holdingView = z.object({
  balance: gramsText,
  reserved: gramsText,
  investedPaise: z.int().min(0),
  avgPricePaise: z.int().min(0),
});

export const portfolioView = holdingView.extend({
  currentValuePaise: z.int().min(0),
  profitLossPaise: z.int(),
  profitLossPct: z.number(),
  sellPricePaise: z.int().positive(),
  asOf: z.iso.datetime(),
});

/** The ledger is empty by design (contract: customers > Portfolio). */
export const passbookView = z.object({
  holding: holdingView,
  entries_available: z.literal(false),
  entries: z.array(z.unknown()).max(0),
});

export const presentHolding = (holding: Holding): z.output<typeof holdingView> => ({
  balance: formatGrams(holding.balance),
  reserved: formatGrams(holding.reserved),
  investedPaise: toSafePaise(holding.investedPaise),
  avgPricePaise: toSafePaise(averagePrice(holding.investedPaise, holding.balance)),
});

/** The holding at a live sell price. */
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
