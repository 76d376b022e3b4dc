import type {
  GoldProviderRules,
  ProviderTransactionStatus,
} from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { readStatus } from '../provider-operations/index.ts';

/**
 * The meaning of the provider's order status for the question whether a confirm bought the gold.
 * BOUGHT: the provider sold the gold. NEVER: it did not and will not. NOT_CONFIRMED: it has not so
 * far, and the confirm may be sent again. UNKNOWN: the outcome is unknown, so the confirm must not
 * be sent again.
 */
export type Verdict = 'BOUGHT' | 'NEVER' | 'NOT_CONFIRMED' | 'UNKNOWN';

const verdicts = { DONE: 'BOUGHT', REFUSED: 'NEVER', UNKNOWN: 'UNKNOWN' } as const;

/** Returns the moment after which a transaction that was not confirmed never will be. */
export const decidableAfter = (
  verifiedAt: Date,
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Date => addMs(verifiedAt, rules.confirmWindowMs + rules.confirmMarginMs);

/**
 * Reads an order status. "Not confirmed" means that no confirm has arrived, or that one is still on
 * its way, so it is final only when the provider would no longer accept a confirm (contract: states
 * > Allocation retries). A status that got no response is never final.
 */
export const readVerdict = (
  status: Outcome<ProviderTransactionStatus>,
  at: { readonly verifiedAt: Date; readonly now: Date },
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Verdict => {
  const { kind } = readStatus(status);
  if (kind !== 'NONE') return verdicts[kind];
  return at.now > decidableAfter(at.verifiedAt, rules) ? 'NEVER' : 'NOT_CONFIRMED';
};
