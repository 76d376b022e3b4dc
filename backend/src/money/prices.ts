import { WHOLE_BPS, type Bps } from './bps.ts';
import { UNITS_PER_GRAM, ZERO_GRAMS, floorToTraded, grams, type Grams } from './grams.ts';
import { ZERO_PAISE, paise, type Paise } from './paise.ts';
import { divideFloor, divideHalfUp } from './rounding.ts';

/** What a customer pays per gram: the provider's buy price with our spread added, half-up. */
export const applyBuySpread = (providerBuyPaise: Paise, spreadBps: Bps): Paise =>
  paise(divideHalfUp(providerBuyPaise * (WHOLE_BPS + spreadBps), WHOLE_BPS));

/** What a customer gets per gram: the provider's sell price less our spread, half-up. */
export const applySellSpread = (providerSellPaise: Paise, spreadBps: Bps): Paise =>
  paise(divideHalfUp(providerSellPaise * (WHOLE_BPS - spreadBps), WHOLE_BPS));

/** Worth of a weight at a price per gram, half-up. */
export const valueOf = (weight: Grams, pricePerGramPaise: Paise): Paise =>
  paise(divideHalfUp(weight * pricePerGramPaise, UNITS_PER_GRAM));

/** The weight that an amount buys at a price per gram, down to 0.0001 g. */
export const gramsFor = (amount: Paise, pricePerGramPaise: Paise): Grams =>
  floorToTraded(grams(divideFloor(amount * UNITS_PER_GRAM, pricePerGramPaise)));

/** The half-up mean of two prices: the spot price where a provider quotes none. */
export const meanPrice = (one: Paise, other: Paise): Paise => paise(divideHalfUp(one + other, 2n));

/** What was paid per gram of what is still held, half-up; zero while nothing is held. */
export const averagePrice = (investedPaise: Paise, balance: Grams): Paise =>
  balance === ZERO_GRAMS
    ? ZERO_PAISE
    : paise(divideHalfUp(investedPaise * UNITS_PER_GRAM, balance));
