import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import type { ProviderTransactionStatus } from '../../adapters/gold-provider/port.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { ManualReviewCode } from '../orders/index.ts';

/**
 * The state of a sale by the provider's order-status. SOLD: it bought the customer's gold. FAILED:
 * it did not and will not. NOT_CONFIRMED: not so far; a confirm may still be on its way. UNKNOWN:
 * no answer, or none that is final.
 */
export type SaleVerdict = 'SOLD' | 'FAILED' | 'NOT_CONFIRMED' | 'UNKNOWN';

const verdicts: Readonly<Record<ProviderTransactionStatus, SaleVerdict>> = {
  SUCCESS: 'SOLD',
  FAILED: 'FAILED',
  NOT_CONFIRMED: 'NOT_CONFIRMED',
  IN_PROGRESS: 'UNKNOWN',
};

export const readSaleVerdict = (status: Outcome<ProviderTransactionStatus>): SaleVerdict => {
  if (status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION) return 'NOT_CONFIRMED';
  return status.kind === 'done' ? verdicts[status.value] : 'UNKNOWN';
};

export interface SaleReview {
  readonly code: Extract<ManualReviewCode, 'SELL_UNKNOWN_OUTCOME' | 'SELL_REFUSED_AFTER_VERIFY'>;
  readonly reason: string;
}

/** Returns why a verified sale that the provider did not report as sold waits for a person. */
export const reviewOf = (
  verdict: Exclude<SaleVerdict, 'SOLD'>,
  confirmed: Outcome<unknown> | undefined,
): SaleReview => {
  const wasRefused = confirmed?.kind === 'refused' && !isUnavailable(confirmed);
  if (verdict === 'FAILED' || wasRefused) {
    return {
      code: 'SELL_REFUSED_AFTER_VERIFY',
      reason: 'The provider refused the sale after it had verified it; the grams stay reserved.',
    };
  }
  return {
    code: 'SELL_UNKNOWN_OUTCOME',
    reason:
      'The provider did not say whether it bought the gold ' +
      `(${verdict === 'NOT_CONFIRMED' ? 'not confirmed so far' : 'no final answer'}); ` +
      'the grams stay reserved.',
  };
};
