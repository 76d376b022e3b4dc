import { WHOLE_BPS, type Bps } from './bps.ts';
import { paise, subtractPaise, ZERO_PAISE, addPaise, type Paise } from './paise.ts';
import { divideFloor, divideHalfUp } from './rounding.ts';
import { ZERO_GRAMS, type Grams } from './grams.ts';
import { MoneyError } from './money-error.ts';
import { gramsFor, valueOf } from './prices.ts';

/** Returns the part of a tax-inclusive total before tax, half-up. The rest is the tax. */
const valueWithoutTax = (totalPaise: Paise, rateBps: Bps): Paise =>
  paise(divideHalfUp(totalPaise * WHOLE_BPS, WHOLE_BPS + rateBps));

/** Computes the tax on a value, half-up. */
export const taxOn = (valuePaise: Paise, rateBps: Bps): Paise =>
  paise(divideHalfUp(valuePaise * rateBps, WHOLE_BPS));

/** Splits GST into its parts. CGST is half of it, rounded down, and SGST is the rest. */
export const splitGst = (
  gstPaise: Paise,
): { readonly cgstPaise: Paise; readonly sgstPaise: Paise } => {
  const cgstPaise = paise(divideFloor(gstPaise, 2n));
  return { cgstPaise, sgstPaise: subtractPaise(gstPaise, cgstPaise) };
};

/** The breakdown of a buy. `totalPaise` is always `goldValuePaise + gstPaise`. */
export interface BuyBreakdown {
  readonly grams: Grams;
  readonly goldValuePaise: Paise;
  readonly gstPaise: Paise;
  readonly totalPaise: Paise;
  /** The rest of the gold value after the weight is rounded down, or 0 in an order by weight. */
  readonly roundingPaise: Paise;
}

/** The breakdown of a sale. */
export interface SellBreakdown {
  readonly grams: Grams;
  readonly proceedsPaise: Paise;
  readonly withheldPaise: Paise;
}

const tooSmall = (): MoneyError =>
  new MoneyError('AMOUNT_TOO_SMALL', 'the amount is too small at this price');

/**
 * Breaks down a buy for an amount that includes tax (contract: money > Breakdown of a buy).
 * @throws MoneyError AMOUNT_TOO_SMALL when it buys less than 0.0001 g
 */
export const buyByInr = (totalPaise: Paise, buyPricePaise: Paise, gstBps: Bps): BuyBreakdown => {
  const goldValuePaise = valueWithoutTax(totalPaise, gstBps);
  const grams = gramsFor(goldValuePaise, buyPricePaise);
  if (grams <= ZERO_GRAMS) throw tooSmall();
  return {
    grams,
    goldValuePaise,
    gstPaise: subtractPaise(totalPaise, goldValuePaise),
    totalPaise,
    roundingPaise: subtractPaise(goldValuePaise, valueOf(grams, buyPricePaise)),
  };
};

/**
 * Breaks down a buy of a weight (contract: money > Breakdown of a buy).
 * @throws MoneyError AMOUNT_TOO_SMALL when it costs nothing
 */
export const buyByGrams = (grams: Grams, buyPricePaise: Paise, gstBps: Bps): BuyBreakdown => {
  const goldValuePaise = valueOf(grams, buyPricePaise);
  if (grams <= ZERO_GRAMS || goldValuePaise <= ZERO_PAISE) throw tooSmall();
  const gstPaise = taxOn(goldValuePaise, gstBps);
  const totalPaise = addPaise(goldValuePaise, gstPaise);
  return { grams, goldValuePaise, gstPaise, totalPaise, roundingPaise: ZERO_PAISE };
};

/**
 * Breaks down a sale of a weight. Nothing is withheld (contract: money > Breakdown of a sale).
 * @throws MoneyError AMOUNT_TOO_SMALL when it yields nothing
 */
export const sellByGrams = (grams: Grams, sellPricePaise: Paise): SellBreakdown => {
  const proceedsPaise = valueOf(grams, sellPricePaise);
  if (grams <= ZERO_GRAMS || proceedsPaise <= ZERO_PAISE) throw tooSmall();
  return { grams, proceedsPaise, withheldPaise: ZERO_PAISE };
};

/**
 * Breaks down a sale for an amount. It first finds the weight of that amount, then breaks down the
 * sale of this weight.
 * @throws MoneyError AMOUNT_TOO_SMALL when it is less than 0.0001 g
 */
export const sellByInr = (amountPaise: Paise, sellPricePaise: Paise): SellBreakdown =>
  sellByGrams(gramsFor(amountPaise, sellPricePaise), sellPricePaise);
