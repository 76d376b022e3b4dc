import type {
  GoldProviderRules,
  ProviderTransactionStatus,
} from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { readStatus } from '../provider-operations/index.ts';

/**
 * The outcome of a confirm, by the provider's order status. BOUGHT: the provider sold the gold.
 * NEVER: it has not sold the gold and never will. NOT_CONFIRMED: it has not sold the gold so far, and
 * the confirm may be sent again. UNKNOWN: it is unknown whether it sold the gold, so the confirm must
 * not be sent again.
 */
export type Verdict = 'BOUGHT' | 'NEVER' | 'NOT_CONFIRMED' | 'UNKNOWN';

const verdicts = { DONE: 'BOUGHT', REFUSED: 'NEVER', UNKNOWN: 'UNKNOWN' } as const;

/** Returns the time after which the provider can no longer confirm an unconfirmed transaction. */
export const decidableAfter = (
  verifiedAt: Date,
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Date => addMs(verifiedAt, rules.confirmWindowMs + rules.confirmMarginMs);

/**
 * Derives the verdict from an order status (contract: states > Allocation retries). If the provider
 * has no confirm, a confirm may still be on its way. The verdict is then NEVER only after the
 * provider stops accepting confirms. Without a response the verdict is UNKNOWN.
 */
export const readVerdict = (
  status: Outcome<ProviderTransactionStatus>,
  { verifiedAt, now }: { readonly verifiedAt: Date; readonly now: Date },
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Verdict => {
  const { kind } = readStatus(status);
  if (kind !== 'NONE') return verdicts[kind];
  return now > decidableAfter(verifiedAt, rules) ? 'NEVER' : 'NOT_CONFIRMED';
};
