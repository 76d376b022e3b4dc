import type { Verdict } from './allocation-verdict.ts';
import { addSeconds } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { schedule } from '../../platform/jobs/index.ts';
import {
  allocationRetry,
  type Actor,
  type GoldOrder,
  sendBuyToReview,
  transitionBuy,
  type ManualReviewCode,
  type OrderDeps,
} from '../orders/index.ts';

export type NextStep =
  | {
      readonly kind: 'RETRY';
      readonly dueAt: Date;
      /** The number of tries that have failed so far. */
      readonly failedTries: number;
    }
  | { readonly kind: 'REVIEW'; readonly code: ManualReviewCode; readonly reason: string };

interface FailedTry {
  readonly verdict: Exclude<Verdict, 'BOUGHT'>;
  readonly now: Date;
  readonly lockEndsAt: Date;
  /** The number of tries that have failed, including this one. */
  readonly failedTries: number;
  readonly retrySeconds: readonly number[];
}

const review = (code: ManualReviewCode, reason: string): NextStep => ({
  kind: 'REVIEW',
  code,
  reason,
});

/**
 * Decides the next step after a try that bought no gold. While the price lock is valid, the next
 * retry follows. A review follows at the end of the lock, after the last retry, or if the provider
 * will never sell the gold. A retry that would be due after the end of the lock is moved to that end.
 */
export const nextStep = (failedTry: FailedTry): NextStep => {
  const { verdict, now, lockEndsAt, failedTries, retrySeconds } = failedTry;
  if (now >= lockEndsAt) {
    const endsAt = lockEndsAt.toISOString();
    return review(
      'PROVIDER_LOCK_EXPIRED',
      `Paid in time, but the price lock ended at ${endsAt} before the gold could be bought.`,
    );
  }
  if (verdict === 'NEVER') {
    return review(
      'ALLOCATION_EXHAUSTED',
      'The provider closed the transaction as failed; another attempt cannot buy the gold.',
    );
  }
  const delay = retrySeconds[failedTries - 1];
  if (delay === undefined) {
    const attempts = `${failedTries} allocation attempts failed`;
    return review('ALLOCATION_EXHAUSTED', `${attempts}; the provider did not confirm the gold.`);
  }
  const dueAt = addSeconds(now, delay);
  return { kind: 'RETRY', dueAt: dueAt < lockEndsAt ? dueAt : lockEndsAt, failedTries };
};

/** A try of an installment's allocation that bought no gold. */
interface FailedInstallmentTry {
  readonly now: Date;
  /** The number of tries that have failed, including this one. */
  readonly failedTries: number;
  readonly retrySeconds: readonly number[];
  /**
   * The time at which the provider's status of an undecided confirm becomes final. Undefined if no
   * confirm is undecided or the confirm may be sent again.
   */
  readonly decidableAt: Date | undefined;
  /** The code of the review if this was the last try. */
  readonly code: ManualReviewCode;
  /** The reason of that review. */
  readonly reason: string;
}

/**
 * Decides the next step after a try of an installment's allocation that bought no gold. An
 * installment has no price lock, so every retry verifies again at the current price. After the last
 * retry, a review follows. While an earlier confirm is undecided, there is no new verify. The wait
 * for the provider's final status does not count as a try.
 */
export const nextInstallmentStep = (failedTry: FailedInstallmentTry): NextStep => {
  const { now, failedTries, retrySeconds, decidableAt, code, reason } = failedTry;
  if (decidableAt !== undefined && now < decidableAt) {
    return { kind: 'RETRY', dueAt: decidableAt, failedTries: failedTries - 1 };
  }
  const delay = retrySeconds[failedTries - 1];
  if (delay === undefined) {
    return review(code, `${failedTries} allocation attempts failed. ${reason}`);
  }
  return { kind: 'RETRY', dueAt: addSeconds(now, delay), failedTries };
};

type AwaitingOrder = Pick<GoldOrder, 'id' | 'userId'> & {
  readonly status: 'PAID' | 'RETRY_PENDING';
};

/**
 * Schedules the next retry or sends the order to review, after a try that bought no gold. Returns
 * SKIPPED if a retry is already scheduled. The caller holds the order's lock.
 */
export const takeNextStep = async (
  deps: OrderDeps,
  tx: Db,
  order: AwaitingOrder,
  next: NextStep,
  actor: Actor,
): Promise<'RETRY' | 'REVIEW' | 'SKIPPED'> => {
  const { id, status } = order;
  if (next.kind === 'REVIEW') {
    await sendBuyToReview(deps, tx, order, next, { actor, cause: 'allocation.given-up' });
    return 'REVIEW';
  }
  if (status === 'RETRY_PENDING') return 'SKIPPED';
  const changes = { allocationAttempts: next.failedTries, nextAttemptAt: next.dueAt };
  const by = { cause: 'allocation.failed', actor };
  await transitionBuy(deps, tx, { id, status }, { to: 'RETRY_PENDING', ...by, changes });
  await schedule(tx, allocationRetry(id, next.dueAt));
  return 'RETRY';
};
