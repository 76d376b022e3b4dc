import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import type { ProviderTransactionStatus } from '../../adapters/gold-provider/port.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { ManualReviewCode } from '../orders/index.ts';

/**
 * What the provider's order-status says of a sell. SOLD: it bought the customer's gold. FAILED: it
 * did not and will not. NOT_CONFIRMED: not so far; nobody can say whether a confirm is on its way.
 * UNKNOWN: no answer, or none that is final.
 */
export type SellVerdict = 'SOLD' | 'FAILED' | 'NOT_CONFIRMED' | 'UNKNOWN';

const verdicts: Readonly<Record<ProviderTransactionStatus, SellVerdict>> = {
  SUCCESS: 'SOLD',
  FAILED: 'FAILED',
  NOT_CONFIRMED: 'NOT_CONFIRMED',
  IN_PROGRESS: 'UNKNOWN',
};

export const readSellVerdict = (status: Outcome<ProviderTransactionStatus>): SellVerdict => {
  if (status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION) return 'NOT_CONFIRMED';
  return status.kind === 'done' ? verdicts[status.value] : 'UNKNOWN';
};

/** An outcome in a word or two, for the record. */
export const wordOf = (outcome: Outcome<unknown>): string => {
  if (outcome.kind === 'done') {
    return typeof outcome.value === 'string' ? outcome.value : 'done';
  }
  return outcome.kind === 'refused' ? `refused: ${outcome.code}` : `unknown: ${outcome.reason}`;
};

export interface SellReview {
  readonly code: Extract<ManualReviewCode, 'SELL_UNKNOWN_OUTCOME' | 'SELL_REFUSED_AFTER_VERIFY'>;
  readonly reason: string;
}

/** Why a verified sell that the provider did not say it bought waits for a person. */
export const reviewOf = (
  verdict: Exclude<SellVerdict, 'SOLD'>,
  confirmed: Outcome<unknown> | undefined,
): SellReview => {
  const saidNo = confirmed?.kind === 'refused' && !isUnavailable(confirmed);
  if (verdict === 'FAILED' || saidNo) {
    return {
      code: 'SELL_REFUSED_AFTER_VERIFY',
      reason: 'The provider refused the sell after it had verified it; the grams stay reserved.',
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
