import { MoneyError, buyByGrams, buyByInr } from '../../money/index.ts';
import type { Bps, BuyBreakdown, Paise } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { GoldAmount } from '../orders/index.ts';

/**
 * The figures of a buy at a price (decisions, section 2).
 * @throws AppError AMOUNT_TOO_SMALL when it comes to no gold, or to no money
 */
export const buyFigures = (amount: GoldAmount, buyPaise: Paise, gstBps: Bps): BuyBreakdown => {
  try {
    return amount.unit === 'INR'
      ? buyByInr(amount.amountPaise, buyPaise, gstBps)
      : buyByGrams(amount.grams, buyPaise, gstBps);
  } catch (error) {
    if (error instanceof MoneyError && error.code === 'AMOUNT_TOO_SMALL') {
      throw new AppError('AMOUNT_TOO_SMALL', { field: 'amount', cause: error });
    }
    throw error;
  }
};
