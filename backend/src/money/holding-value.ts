import { WHOLE_BPS, bps, type Bps } from './bps.ts';
import { ZERO_GRAMS, type Grams } from './grams.ts';
import { MoneyError } from './money-error.ts';
import { ZERO_PAISE, paise, subtractPaise, type Paise } from './paise.ts';
import { valueOf } from './prices.ts';
import { divideHalfUp } from './rounding.ts';

/** A holding before a sale. */
interface HeldGold {
  readonly balance: Grams;
  readonly investedPaise: Paise;
}

/**
 * Returns the part of the invested amount that leaves with the sold grams. It is in proportion to
 * the grams and rounded half-up. The last grams take the whole remaining amount, so that an empty
 * holding has nothing invested (contract: money > Holdings).
 * @throws MoneyError OUT_OF_RANGE when more is sold than held
 */
export const investedLeavingWith = (held: HeldGold, soldGrams: Grams): Paise => {
  if (soldGrams < ZERO_GRAMS || soldGrams > held.balance) {
    throw new MoneyError('OUT_OF_RANGE', 'more gold leaves than is held');
  }
  if (soldGrams === held.balance) return held.investedPaise;
  return paise(divideHalfUp(held.investedPaise * soldGrams, held.balance));
};

/** The current value of a holding, and its profit or loss against the invested amount. */
interface HoldingValue {
  readonly currentValuePaise: Paise;
  readonly profitLossPaise: Paise;
  /**
   * The profit or loss in basis points of the invested amount, with halves rounded away from zero.
   * It is 0 if nothing is invested.
   */
  readonly profitLossBps: Bps;
}

/** Values a holding at a sell price per gram. */
export const valueHolding = (held: HeldGold, sellPricePaise: Paise): HoldingValue => {
  const currentValuePaise = valueOf(held.balance, sellPricePaise);
  const profitLossPaise = subtractPaise(currentValuePaise, held.investedPaise);
  const profitLossBps =
    held.investedPaise <= ZERO_PAISE
      ? bps(0n)
      : bps(divideHalfUp(profitLossPaise * WHOLE_BPS, held.investedPaise));
  return { currentValuePaise, profitLossPaise, profitLossBps };
};
