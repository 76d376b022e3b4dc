import {
  UNITS_PER_GRAM,
  WHOLE_BPS,
  divideCeiling,
  paise,
  type Bps,
  type Grams,
  type Paise,
} from '../../../money/index.ts';

/*
 * SafeGold's own arithmetic (buy-verify-api): rupees round up to paise. It decides what SafeGold
 * charges and pays, never what the customer does.
 */

/** Returns the rate per gram with tax. */
export const rateWithTax = (pricePaise: Paise, taxBps: Bps): Paise =>
  paise(divideCeiling(pricePaise * (WHOLE_BPS + taxBps), WHOLE_BPS));

/** Returns the rupees for a weight at a rate. */
export const rupeesFor = (grams: Grams, ratePaise: Paise): Paise =>
  paise(divideCeiling(grams * ratePaise, UNITS_PER_GRAM));
