import { toleranceOn, type Bps, type Paise } from '../../money/index.ts';

/**
 * Our price against the provider's, after each verify and before anything is written or confirmed
 * (contract: money > Provider's price). Both sides are amounts for the same grams, tax included.
 */

/** Returns true where what a customer pays covers what the provider charges, within tolerance. */
export const coversCharge = (
  customerPaysPaise: Paise,
  providerChargesPaise: Paise,
  toleranceBps: Bps,
): boolean =>
  providerChargesPaise - customerPaysPaise <= toleranceOn(providerChargesPaise, toleranceBps);

/** Returns true where what a customer is paid does not exceed what the provider pays. */
export const isCoveredByProvider = (
  customerIsPaidPaise: Paise,
  providerPaysPaise: Paise,
  toleranceBps: Bps,
): boolean =>
  customerIsPaidPaise - providerPaysPaise <= toleranceOn(providerPaysPaise, toleranceBps);
