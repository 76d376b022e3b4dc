import {
  MoneyError,
  floorToTraded,
  sellByGrams,
  sellByInr,
  valueOf,
  type Grams,
  type Paise,
  type SellBreakdown,
} from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Limits } from '../settings/index.ts';
import { limitExceeded } from './limit-exceeded.ts';
import type { GoldAmount } from '../orders/index.ts';

/**
 * The figures of a sell at a price (decisions, section 2).
 * @throws AppError AMOUNT_TOO_SMALL when it comes to no gold, or to no money
 */
export const sellFigures = (amount: GoldAmount, sellPaise: Paise): SellBreakdown => {
  try {
    return amount.unit === 'INR'
      ? sellByInr(amount.amountPaise, sellPaise)
      : sellByGrams(amount.grams, sellPaise);
  } catch (error) {
    if (error instanceof MoneyError && error.code === 'AMOUNT_TOO_SMALL') {
      throw new AppError('AMOUNT_TOO_SMALL', { field: 'amount', cause: error });
    }
    throw error;
  }
};

export interface SellToCheck {
  /** What is asked for in INR, what the grams come to in GRAMS: limits bind this. */
  readonly grossPaise: Paise;
  readonly grams: Grams;
  /** The provider's own price per gram. */
  readonly providerPricePaise: Paise;
  readonly freeGrams: Grams;
}

/**
 * Holds a sell against its limits. The provider's own minimum comes first, and binds everybody;
 * whoever sells all that is free is exempt from ours (decisions, section 2).
 * @throws AppError AMOUNT_TOO_SMALL, LIMIT_EXCEEDED with the limit in `details`
 */
export const checkSellAmount = (
  sell: SellToCheck,
  limits: Limits,
  minimumAtProvider: Paise,
): void => {
  const { grossPaise, grams, providerPricePaise, freeGrams } = sell;
  // The provider sees the grams at its own price: less than its minimum it would refuse.
  const isTooSmall =
    grossPaise < minimumAtProvider || valueOf(grams, providerPricePaise) < minimumAtProvider;
  if (isTooSmall) {
    throw new AppError('AMOUNT_TOO_SMALL', {
      message: 'The amount is less than the gold provider buys.',
      field: 'amount',
    });
  }
  const isAllThatIsFree = grams === floorToTraded(freeGrams);
  if (grossPaise < limits.minSellPaise && !isAllThatIsFree) {
    throw limitExceeded('minSellPaise', limits);
  }
  if (grossPaise > limits.maxSellPaise) throw limitExceeded('maxSellPaise', limits);
};
