import { addMs } from '../../platform/clock/clock.ts';
import {
  sellByGrams,
  sellByInr,
  type Grams,
  type Paise,
  type SellBreakdown,
} from '../../money/index.ts';
import type { LivePrice } from '../price/index.ts';
import type { SettingVersions } from '../settings/index.ts';
import { breakDown, checkSellAmount } from './quotes.rules.ts';
import type { QuoteDeps, GoldAmount, SellQuote } from './quotes.types.ts';

/** The life of a sell quote in ms (contract: limits > Quotes and locks). */
const sellQuoteLifeMs = 120_000;

/**
 * Returns the breakdown of a sale at a price (contract: money > Breakdown of a sale).
 * @throws AppError AMOUNT_TOO_SMALL if the sale has no grams or no proceeds
 */
const breakDownSell = (amount: GoldAmount, sellPaise: Paise): SellBreakdown =>
  breakDown(() =>
    amount.unit === 'INR'
      ? sellByInr(amount.amountPaise, sellPaise)
      : sellByGrams(amount.grams, sellPaise),
  );

/** Returns the amount to which limits apply: the requested INR, or the value of the grams. */
const grossPaiseOf = (amount: GoldAmount, proceedsPaise: Paise): Paise =>
  amount.unit === 'INR' ? amount.amountPaise : proceedsPaise;

/**
 * Drafts a sell quote at a price. It writes nothing and does not call the provider, because a sale
 * is verified only after it is placed.
 * @throws AppError AMOUNT_TOO_SMALL
 */
export const draftSellQuote = (
  { clock, random, provider }: Pick<QuoteDeps, 'clock' | 'random' | 'provider'>,
  userId: string,
  amount: GoldAmount,
  live: LivePrice,
): SellQuote => {
  const createdAt = clock.now();
  return {
    ...breakDownSell(amount, live.sellPaise),
    id: random.uuid(),
    userId,
    status: 'ACTIVE',
    unit: amount.unit,
    requested: amount.requested,
    pricePerGramPaise: live.sellPaise,
    provider: provider.code,
    providerRateId: live.sellRateId,
    providerPricePaise: live.providerSellPaise,
    expiresAt: addMs(createdAt, sellQuoteLifeMs),
    createdAt,
  };
};

export interface SellLimitsDeps extends Pick<QuoteDeps, 'provider' | 'limits'> {
  /** The maximum amount of one payout. A larger sale could never be paid out. */
  readonly maximumPayoutPaise: Paise;
}

/**
 * Checks the sale of a quote against the limits in force.
 * @throws AppError AMOUNT_TOO_SMALL, LIMIT_EXCEEDED with the limit in `details`
 */
export const checkSellLimits = async (
  { provider, limits, maximumPayoutPaise }: SellLimitsDeps,
  { grams, proceedsPaise, providerPricePaise }: SellQuote,
  amount: GoldAmount,
  availableGrams: Grams,
  versions?: SettingVersions,
): Promise<void> => {
  const grossPaise = grossPaiseOf(amount, proceedsPaise);
  const sell = { grossPaise, grams, providerPricePaise, availableGrams };
  const current = await limits.current(versions);
  const maxSellPaise =
    maximumPayoutPaise < current.maxSellPaise ? maximumPayoutPaise : current.maxSellPaise;
  checkSellAmount(sell, { ...current, maxSellPaise }, provider.rules.minimumSellPaise);
};
