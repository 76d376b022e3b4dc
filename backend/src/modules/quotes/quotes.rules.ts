import {
  MoneyError,
  addPaise,
  floorToTraded,
  formatRupees,
  paise,
  subtractPaise,
  toSafePaise,
  valueOf,
  type Grams,
  type Paise,
} from '../../money/index.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import { readAlone, type Db, type Read } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { readBuys } from '../orders/index.ts';
import type { LimitName, Limits } from '../settings/index.ts';
import type { QuoteStatus } from './quotes.types.ts';

/** Runs a breakdown of `money`. A result without gold or money is the caller's error. */
export const breakDown = <T>(compute: () => T): T => {
  try {
    return compute();
  } catch (error) {
    if (error instanceof MoneyError && error.code === 'AMOUNT_TOO_SMALL') {
      throw new AppError('AMOUNT_TOO_SMALL', { field: 'amount', cause: error });
    }
    throw error;
  }
};

const limitTexts: Readonly<Partial<Record<LimitName, (rupees: string) => string>>> = {
  minBuyPaise: (rupees) => `The smallest purchase is INR ${rupees}.`,
  maxBuyPaise: (rupees) => `The largest purchase is INR ${rupees}.`,
  dailyBuyPaise: (rupees) => `You can buy gold for at most INR ${rupees} per day.`,
  minSellPaise: (rupees) => `The smallest sale is INR ${rupees}, unless you sell all your gold.`,
  maxSellPaise: (rupees) => `The largest sale is INR ${rupees}.`,
};

/** Makes LIMIT_EXCEEDED, with the limit in `details` (contract: money > Trading limits). */
const limitExceeded = (limit: LimitName, limits: Limits): AppError => {
  const message = limitTexts[limit]?.(formatRupees(limits[limit]));
  return new AppError('LIMIT_EXCEEDED', {
    ...(message !== undefined && { message }),
    field: 'amount',
    details: { limit, limitPaise: toSafePaise(limits[limit]) },
  });
};

/** A buy, or the checkout of an installment, which is not counted twice. */
interface CheckoutToCheck {
  readonly userId: string;
  readonly amountPaise: Paise;
  readonly installmentId?: string;
}

/** Reads what a customer has bought on this IST day, but for the installment that is named. */
export const readDaysBuys = (userId: string, now: Date, exceptId?: string): Read<Paise> =>
  readBuys(userId, { from: startOfIstDay(now), to: endOfIstDay(now), now, exceptId });

/** @throws AppError LIMIT_EXCEEDED where a further buy is more than the day has left */
export const requireDaysRoom = (
  { bought, amountPaise }: { readonly bought: Paise; readonly amountPaise: Paise },
  limits: Limits,
): void => {
  if (addPaise(bought, amountPaise) > limits.dailyBuyPaise) {
    throw limitExceeded('dailyBuyPaise', limits);
  }
};

/**
 * Checks a further buy, or the checkout of an installment, against what the customer has bought on
 * this IST day. Definite only under the lock of the customer's holding. Without it, an early answer.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const checkDailyBuys = async (
  db: Db,
  { userId, amountPaise, installmentId }: CheckoutToCheck,
  limits: Limits,
  now: Date,
): Promise<void> => {
  const bought = await readAlone(db, readDaysBuys(userId, now, installmentId));
  requireDaysRoom({ bought, amountPaise }, limits);
};

/** Returns how much more a customer may buy for on this IST day, as it is known at this moment. */
export const remainingDailyBuys = async (
  db: Db,
  userId: string,
  { dailyBuyPaise }: Limits,
  now: Date,
): Promise<Paise> => {
  const bought = await readAlone(db, readDaysBuys(userId, now));
  return bought < dailyBuyPaise ? subtractPaise(dailyBuyPaise, bought) : paise(0n);
};

/**
 * Checks the gross amount of one buy against its limits, and then the day's.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const requireBuyLimits = (
  buy: { readonly bought: Paise; readonly amountPaise: Paise },
  limits: Limits,
): void => {
  if (buy.amountPaise < limits.minBuyPaise) throw limitExceeded('minBuyPaise', limits);
  if (buy.amountPaise > limits.maxBuyPaise) throw limitExceeded('maxBuyPaise', limits);
  requireDaysRoom(buy, limits);
};

export interface SaleToCheck {
  /** The amount to which limits apply: the requested INR, or the value of the grams. */
  readonly grossPaise: Paise;
  readonly grams: Grams;
  /** The provider's own price per gram. */
  readonly providerPricePaise: Paise;
  readonly availableGrams: Grams;
}

/**
 * Checks a sale against its limits. The provider's own minimum is checked first, and applies to
 * every sale. A sale of all available grams is exempt from ours (contract: money > Smallest
 * amounts).
 * @throws AppError AMOUNT_TOO_SMALL, LIMIT_EXCEEDED with the limit in `details`
 */
export const checkSellAmount = (
  sell: SaleToCheck,
  limits: Limits,
  minimumAtProvider: Paise,
): void => {
  const { grossPaise, grams, providerPricePaise, availableGrams } = sell;
  // The provider sees the grams at its own price: less than its minimum it would refuse.
  const isTooSmall =
    grossPaise < minimumAtProvider || valueOf(grams, providerPricePaise) < minimumAtProvider;
  if (isTooSmall) {
    throw new AppError('AMOUNT_TOO_SMALL', {
      message: 'This is less than the gold provider accepts. Please enter a larger amount.',
      field: 'amount',
    });
  }
  const isEverything = grams === floorToTraded(availableGrams);
  if (grossPaise < limits.minSellPaise && !isEverything) {
    throw limitExceeded('minSellPaise', limits);
  }
  if (grossPaise > limits.maxSellPaise) throw limitExceeded('maxSellPaise', limits);
};

/**
 * Refuses a quote that can't be used any more.
 * @throws AppError QUOTE_USED, QUOTE_EXPIRED
 */
export const requireUsable = (
  quote: { readonly status: QuoteStatus; readonly expiresAt: Date },
  now: Date,
): void => {
  if (quote.status === 'CONSUMED') throw new AppError('QUOTE_USED');
  if (quote.status === 'EXPIRED' || quote.expiresAt <= now) throw new AppError('QUOTE_EXPIRED');
};
