import { WHOLE_BPS, type Bps } from './bps.ts';
import { UNITS_PER_GRAM, ZERO_GRAMS, floorToTraded, grams, type Grams } from './grams.ts';
import { ZERO_PAISE, paise, type Paise } from './paise.ts';
import { divideFloor, divideHalfUp } from './rounding.ts';

/** Adds our spread to the provider's buy price, half-up: a customer pays this per gram. */
export const applyBuySpread = (providerBuyPaise: Paise, spreadBps: Bps): Paise =>
  paise(divideHalfUp(providerBuyPaise * (WHOLE_BPS + spreadBps), WHOLE_BPS));

/** Takes our spread off the provider's sell price, half-up: a customer gets this per gram. */
export const applySellSpread = (providerSellPaise: Paise, spreadBps: Bps): Paise =>
  paise(divideHalfUp(providerSellPaise * (WHOLE_BPS - spreadBps), WHOLE_BPS));

/**
 * Returns the most that two amounts may differ by and still count as agreed: a share of the amount,
 * rounded down, and one paisa for what each side rounds (contract: money > Provider's price).
 */
export const toleranceOn = (amount: Paise, toleranceBps: Bps): Paise =>
  paise(divideFloor(amount * toleranceBps, WHOLE_BPS) + 1n);

/** Values a weight at a price per gram, half-up. */
export const valueOf = (weight: Grams, pricePerGramPaise: Paise): Paise =>
  paise(divideHalfUp(weight * pricePerGramPaise, UNITS_PER_GRAM));

/** Returns the weight that an amount buys at a price per gram, rounded down to 0.0001 g. */
export const gramsFor = (amount: Paise, pricePerGramPaise: Paise): Grams =>
  floorToTraded(grams(divideFloor(amount * UNITS_PER_GRAM, pricePerGramPaise)));

/** Returns the half-up mean of two prices: the spot price where a provider quotes none. */
export const meanPrice = (one: Paise, other: Paise): Paise => paise(divideHalfUp(one + other, 2n));

/** Returns the average price paid per gram still held, half-up, or zero while nothing is held. */
export const averagePrice = (investedPaise: Paise, balance: Grams): Paise =>
  balance === ZERO_GRAMS
    ? ZERO_PAISE
    : paise(divideHalfUp(investedPaise * UNITS_PER_GRAM, balance));
