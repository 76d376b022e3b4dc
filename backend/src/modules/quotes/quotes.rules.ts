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

/**
 * Runs a function that computes a breakdown.
 * @throws AppError AMOUNT_TOO_SMALL if the breakdown has no gold or no money
 */
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

/** Creates LIMIT_EXCEEDED, with the limit in `details` (contract: money > Trading limits). */
const limitExceeded = (limit: LimitName, limits: Limits): AppError => {
  const message = limitTexts[limit]?.(formatRupees(limits[limit]));
  return new AppError('LIMIT_EXCEEDED', {
    ...(message !== undefined && { message }),
    field: 'amount',
    details: { limit, limitPaise: toSafePaise(limits[limit]) },
  });
};

interface CheckoutToCheck {
  readonly userId: string;
  readonly amountPaise: Paise;
  /** The order of an installment that may already be counted. It is not counted twice. */
  readonly installmentId?: string;
}

/**
 * Returns the read of the amount that a customer has bought for on this IST day. It leaves out the
 * installment `exceptId`.
 */
export const readDailyBuys = (userId: string, now: Date, exceptId?: string): Read<Paise> =>
  readBuys(userId, { from: startOfIstDay(now), to: endOfIstDay(now), now, exceptId });

/**
 * Checks that a purchase fits into the daily limit.
 * @throws AppError LIMIT_EXCEEDED
 */
export const requireWithinDailyLimit = (
  { boughtPaise, amountPaise }: { readonly boughtPaise: Paise; readonly amountPaise: Paise },
  limits: Limits,
): void => {
  if (addPaise(boughtPaise, amountPaise) > limits.dailyBuyPaise) {
    throw limitExceeded('dailyBuyPaise', limits);
  }
};

/**
 * Checks that a purchase, or the checkout of an installment, fits into the customer's daily limit.
 * The result is final only under the lock of the customer's holding.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const checkDailyBuys = async (
  db: Db,
  { userId, amountPaise, installmentId }: CheckoutToCheck,
  limits: Limits,
  now: Date,
): Promise<void> => {
  const boughtPaise = await readAlone(db, readDailyBuys(userId, now, installmentId));
  requireWithinDailyLimit({ boughtPaise, amountPaise }, limits);
};

/** Returns the remaining daily limit of a customer on this IST day. It may change at any time. */
export const remainingDailyBuys = async (
  db: Db,
  userId: string,
  { dailyBuyPaise }: Limits,
  now: Date,
): Promise<Paise> => {
  const boughtPaise = await readAlone(db, readDailyBuys(userId, now));
  return boughtPaise < dailyBuyPaise ? subtractPaise(dailyBuyPaise, boughtPaise) : paise(0n);
};

/**
 * Checks the gross amount of a purchase against the limits of one purchase, then the daily limit.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const requireBuyLimits = (
  buy: { readonly boughtPaise: Paise; readonly amountPaise: Paise },
  limits: Limits,
): void => {
  if (buy.amountPaise < limits.minBuyPaise) throw limitExceeded('minBuyPaise', limits);
  if (buy.amountPaise > limits.maxBuyPaise) throw limitExceeded('maxBuyPaise', limits);
  requireWithinDailyLimit(buy, limits);
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
 * Checks a sale against its limits (contract: money > Smallest amounts). The provider's minimum is
 * checked first, and applies to every sale. The configured minimum does not apply to a sale of all
 * available grams.
 * @throws AppError AMOUNT_TOO_SMALL, LIMIT_EXCEEDED with the limit in `details`
 */
export const checkSellAmount = (
  sell: SaleToCheck,
  limits: Limits,
  minimumAtProvider: Paise,
): void => {
  const { grossPaise, grams, providerPricePaise, availableGrams } = sell;
  // The provider computes the amount at its own price, so its minimum is compared with that too.
  const isTooSmall =
    grossPaise < minimumAtProvider || valueOf(grams, providerPricePaise) < minimumAtProvider;
  if (isTooSmall) {
    throw new AppError('AMOUNT_TOO_SMALL', {
      message: 'This is less than the gold provider accepts. Please enter a larger amount.',
      field: 'amount',
    });
  }
  const isSaleOfAll = grams === floorToTraded(availableGrams);
  if (grossPaise < limits.minSellPaise && !isSaleOfAll) {
    throw limitExceeded('minSellPaise', limits);
  }
  if (grossPaise > limits.maxSellPaise) throw limitExceeded('maxSellPaise', limits);
};

/**
 * Checks that a quote can still be used.
 * @throws AppError QUOTE_USED, QUOTE_EXPIRED
 */
export const requireUsable = (
  quote: { readonly status: QuoteStatus; readonly expiresAt: Date },
  now: Date,
): void => {
  if (quote.status === 'CONSUMED') throw new AppError('QUOTE_USED');
  if (quote.status === 'EXPIRED' || quote.expiresAt <= now) throw new AppError('QUOTE_EXPIRED');
};
