import { WHOLE_BPS, type Bps } from './bps.ts';
import { UNITS_PER_GRAM, ZERO_GRAMS, floorToTraded, grams, type Grams } from './grams.ts';
import { ZERO_PAISE, paise, type Paise } from './paise.ts';
import { divideFloor, divideHalfUp } from './rounding.ts';

/** Adds our spread to the provider's buy price, half-up. A customer pays the result per gram. */
export const applyBuySpread = (providerBuyPaise: Paise, spreadBps: Bps): Paise =>
  paise(divideHalfUp(providerBuyPaise * (WHOLE_BPS + spreadBps), WHOLE_BPS));

/**
 * Subtracts our spread from the provider's sell price, half-up. A customer gets the result per
 * gram.
 */
export const applySellSpread = (providerSellPaise: Paise, spreadBps: Bps): Paise =>
  paise(divideHalfUp(providerSellPaise * (WHOLE_BPS - spreadBps), WHOLE_BPS));

/**
 * Returns the largest accepted difference of two amounts. It is a share of the amount, rounded
 * down, and one paisa for the rounding of each side (contract: money > Provider's price).
 */
export const toleranceOn = (amount: Paise, toleranceBps: Bps): Paise =>
  paise(divideFloor(amount * toleranceBps, WHOLE_BPS) + 1n);

/** Values a weight at a price per gram, half-up. */
export const valueOf = (weight: Grams, pricePerGramPaise: Paise): Paise =>
  paise(divideHalfUp(weight * pricePerGramPaise, UNITS_PER_GRAM));

/** Returns the weight that an amount buys at a price per gram, rounded down to 0.0001 g. */
export const gramsFor = (amount: Paise, pricePerGramPaise: Paise): Grams =>
  floorToTraded(grams(divideFloor(amount * UNITS_PER_GRAM, pricePerGramPaise)));

/**
 * Returns the half-up mean of two prices. It is the spot price if a provider quotes no spot price.
 */
export const meanPrice = (one: Paise, other: Paise): Paise => paise(divideHalfUp(one + other, 2n));

/** Returns the average price paid per gram still held, half-up, or zero while nothing is held. */
export const averagePrice = (investedPaise: Paise, balance: Grams): Paise =>
  balance === ZERO_GRAMS
    ? ZERO_PAISE
    : paise(divideHalfUp(investedPaise * UNITS_PER_GRAM, balance));
