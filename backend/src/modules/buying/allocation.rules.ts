import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import type {
  GoldProviderRules,
  ProviderTransactionStatus,
} from '../../adapters/gold-provider/port.ts';
import { addMs, addSeconds } from '../../platform/clock/clock.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { ManualReviewCode } from '../orders/index.ts';

/**
 * The meaning of the provider's order-status for a confirm. BOUGHT: it sold the gold. NEVER: it did not
 * and will not. NOT_CONFIRMED: not so far, and it may be confirmed again. UNKNOWN: nobody can say,
 * so it must not be.
 */
export type Verdict = 'BOUGHT' | 'NEVER' | 'NOT_CONFIRMED' | 'UNKNOWN';

/** Returns the moment after which a transaction that was not confirmed never will be. */
export const decidableAfter = (
  verifiedAt: Date,
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Date => addMs(verifiedAt, rules.confirmWindowMs + rules.confirmMarginMs);

/**
 * Reads an order-status. "Not confirmed" means either that no confirm arrived or that one is on
 * its way, so it is final only once the provider would not accept a confirm any more
 * (contract: states > Allocation retries); a status that nobody answered is never final.
 */
export const readVerdict = (
  status: Outcome<ProviderTransactionStatus>,
  at: { readonly verifiedAt: Date; readonly now: Date },
  rules: Pick<GoldProviderRules, 'confirmWindowMs' | 'confirmMarginMs'>,
): Verdict => {
  const isNotConfirmed =
    (status.kind === 'done' && status.value === 'NOT_CONFIRMED') ||
    (status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION);
  if (isNotConfirmed) {
    return at.now > decidableAfter(at.verifiedAt, rules) ? 'NEVER' : 'NOT_CONFIRMED';
  }
  if (status.kind !== 'done') return 'UNKNOWN';
  if (status.value === 'SUCCESS') return 'BOUGHT';
  return status.value === 'FAILED' ? 'NEVER' : 'UNKNOWN';
};

export type NextStep =
  | {
      readonly kind: 'RETRY';
      readonly dueAt: Date;
      /** Tries that have failed so far. */
      readonly failedTries: number;
    }
  | { readonly kind: 'REVIEW'; readonly code: ManualReviewCode; readonly reason: string };

export interface FailedTry {
  readonly verdict: Exclude<Verdict, 'BOUGHT'>;
  readonly now: Date;
  readonly lockEndsAt: Date;
  /** Tries that have failed, this one included. */
  readonly failedTries: number;
  readonly retrySeconds: readonly number[];
}

const review = (code: ManualReviewCode, reason: string): NextStep => ({
  kind: 'REVIEW',
  code,
  reason,
});

/**
 * Decides what follows a try of the allocation that has not bought the gold: the
 * next retry while the lock stands; at the lock's end, or once all retries were used, a person. A
 * retry due after the lock's end is not waited for: the order is looked at again at that end.
 */
export const nextStep = (tried: FailedTry): NextStep => {
  const { verdict, now, lockEndsAt, failedTries, retrySeconds } = tried;
  if (now >= lockEndsAt) {
    const ended = lockEndsAt.toISOString();
    return review(
      'PROVIDER_LOCK_EXPIRED',
      `Paid in time, but the price lock ended at ${ended} before the gold could be bought.`,
    );
  }
  if (verdict === 'NEVER') {
    return review(
      'ALLOCATION_EXHAUSTED',
      'The provider closed the transaction as failed; trying again can not buy the gold.',
    );
  }
  const delay = retrySeconds[failedTries - 1];
  if (delay === undefined) {
    const tries = `${failedTries} tries of the allocation failed`;
    return review('ALLOCATION_EXHAUSTED', `${tries}; the provider did not confirm the gold.`);
  }
  const dueAt = addSeconds(now, delay);
  return { kind: 'RETRY', dueAt: dueAt < lockEndsAt ? dueAt : lockEndsAt, failedTries };
};

/** A try of an installment's allocation that has not bought the gold. */
export interface FailedInstallmentTry {
  readonly now: Date;
  /** Tries that have failed, this one included. */
  readonly failedTries: number;
  readonly retrySeconds: readonly number[];
  /** The moment at which an undecided confirm that can not be sent again is decidable. */
  readonly decidableAt: Date | undefined;
  /** The code and the words of the review, should this have been the last try. */
  readonly code: ManualReviewCode;
  readonly reason: string;
}

/**
 * Decides what follows a try of an installment's allocation: it has no price lock, so every retry
 * is a verify of its moment, until all were used. While an earlier confirm is undecided there is no
 * fresh verify, and waiting for the provider's final answer is no try.
 */
export const nextInstallmentStep = (tried: FailedInstallmentTry): NextStep => {
  const { now, failedTries, retrySeconds, decidableAt, code, reason } = tried;
  if (decidableAt !== undefined && now < decidableAt) {
    return { kind: 'RETRY', dueAt: decidableAt, failedTries: failedTries - 1 };
  }
  const delay = retrySeconds[failedTries - 1];
  if (delay === undefined) {
    return review(code, `${failedTries} tries of the allocation failed. ${reason}`);
  }
  return { kind: 'RETRY', dueAt: addSeconds(now, delay), failedTries };
};

/** Reviews that stay open when the gold turns out to be there: the money is what is in doubt. */
export const isAboutMoney = (code: ManualReviewCode | null): boolean =>
  code === 'FAILED_AFTER_PAID' || code === 'SECOND_CAPTURE' || code === 'PAYMENT_REVERSED';
