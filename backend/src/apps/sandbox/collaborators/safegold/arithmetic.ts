import { divideCeiling, divideFloor, divideHalfUp } from '../../../../money/index.ts';

/**
 * SafeGold's own arithmetic, from its page buy-verify-api, kept apart from the service's: rupees
 * round up to two decimals, grams down to four. Prices and amounts in paise, weights in 0.0001 g.
 */

const UNITS_PER_GRAM = 10_000n;
const TAX_PERCENT = 3n;

/** The rate with 3 % GST, up to a whole paisa. */
export const rateWithTax = (ratePaise: bigint): bigint =>
  divideCeiling(ratePaise * (100n + TAX_PERCENT), 100n);

/** What `weight` costs at a rate per gram. */
export const rupeesFor = (weight: bigint, ratePaise: bigint): bigint =>
  divideCeiling(weight * ratePaise, UNITS_PER_GRAM);

/** The weight that an amount buys at a rate per gram. */
export const weightFor = (amountPaise: bigint, ratePaise: bigint): bigint =>
  divideFloor(amountPaise * UNITS_PER_GRAM, ratePaise);

/** Whether weight and amount belong together, whichever of the two the customer gave. */
export const agrees = (weight: bigint, amountPaise: bigint, ratePaise: bigint): boolean =>
  rupeesFor(weight, ratePaise) === amountPaise || weightFor(amountPaise, ratePaise) === weight;

/** The part of a taxed amount that is not tax. */
export const withoutTax = (amountPaise: bigint): bigint =>
  divideHalfUp(amountPaise * 100n, 100n + TAX_PERCENT);
