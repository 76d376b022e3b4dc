import { AMOUNT_MISMATCH, GRAMS_MISMATCH } from '../../adapters/gold-provider/port.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

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
