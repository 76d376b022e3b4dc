import type {
  GoldProviderRules,
  ProviderTransactionStatus,
} from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { readStatus } from '../provider-operations/index.ts';

/**
 * The provider's order status as it bears on a confirm. BOUGHT: it sold the gold. NEVER: it did
 * not and will not. NOT_CONFIRMED: not so far, and it may be confirmed again. UNKNOWN: nobody can
 * say, so it must not be.
 */
export type Verdict = 'BOUGHT' | 'NEVER' | 'NOT_CONFIRMED' | 'UNKNOWN';

const verdicts = { DONE: 'BOUGHT', REFUSED: 'NEVER', UNKNOWN: 'UNKNOWN' } as const;

/** Returns the moment after which a transaction that was not confirmed never will be. */
export const decidableAfter = (
  verifiedAt: Date,
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Date => addMs(verifiedAt, rules.confirmWindowMs + rules.confirmMarginMs);

/**
 * Reads an order-status. "Not confirmed" means either that no confirm arrived or that one is on its
 * way, so it is final only once the provider would not accept a confirm any more (contract: states
 * > Allocation retries). A status that nobody answered is never final.
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
