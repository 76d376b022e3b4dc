import { divideCeiling, divideFloor, divideHalfUp } from '../../../../money/index.ts';

/**
 * SafeGold's own arithmetic, from its page buy-verify-api. It is separate from the service's.
 * Rupees are rounded up to two decimals, grams down to four. Prices and amounts are in paise,
 * weights in 0.0001 g.
 */

const UNITS_PER_GRAM = 10_000n;
const TAX_PERCENT = 3n;

/** Adds 3 % GST to a rate, rounded up to a whole paisa. */
export const rateWithTax = (ratePaise: bigint): bigint =>
  divideCeiling(ratePaise * (100n + TAX_PERCENT), 100n);

/** Returns the price of a weight at a rate per gram. */
export const rupeesFor = (weight: bigint, ratePaise: bigint): bigint =>
  divideCeiling(weight * ratePaise, UNITS_PER_GRAM);

/** Returns the weight that an amount buys at a rate per gram. */
export const weightFor = (amountPaise: bigint, ratePaise: bigint): bigint =>
  divideFloor(amountPaise * UNITS_PER_GRAM, ratePaise);

/** Returns true if weight and amount match. The customer may have chosen either of them. */
export const agrees = (weight: bigint, amountPaise: bigint, ratePaise: bigint): boolean =>
  rupeesFor(weight, ratePaise) === amountPaise || weightFor(amountPaise, ratePaise) === weight;

/** Returns the part of a taxed amount that is not tax. */
export const withoutTax = (amountPaise: bigint): bigint =>
  divideHalfUp(amountPaise * 100n, 100n + TAX_PERCENT);
