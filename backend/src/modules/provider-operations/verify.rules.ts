import { AMOUNT_MISMATCH, GRAMS_MISMATCH } from '../../adapters/gold-provider/port.ts';
import { toleranceOn, type Bps, type Paise } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

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

const mismatches: ReadonlySet<string> = new Set([AMOUNT_MISMATCH, GRAMS_MISMATCH]);

export type VerifyErrorCode = 'PROVIDER_UNAVAILABLE' | 'PROVIDER_REFUSED' | 'PROVIDER_MISMATCH';

/** Returns the error that a verify without a promise is to the customer (contract: states > Price lock). */
export const verifyErrorCode = (
  verified: Exclude<Outcome<never>, { kind: 'done' }>,
): VerifyErrorCode => {
  const isNo = verified.kind === 'refused' && !isUnavailable(verified);
  if (!isNo) return 'PROVIDER_UNAVAILABLE';
  return mismatches.has(verified.code) ? 'PROVIDER_MISMATCH' : 'PROVIDER_REFUSED';
};

export const verifyError = (verified: Exclude<Outcome<never>, { kind: 'done' }>): AppError =>
  new AppError(verifyErrorCode(verified), { cause: verified });
