import { decidableAfter, type Verdict } from './allocation-verdict.ts';
import type { Grams } from '../../money/index.ts';
import { addMs, msBetween } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { cancelScheduled } from '../../platform/jobs/index.ts';
import { creditHolding, reserveForReview } from '../holdings/index.ts';
import {
  allocationKey,
  isAwaitingAllocation,
  hasPriceLock,
  lockOrder,
  notifyBought,
  sendBuyToReview,
  transitionBuy,
  type Actor,
  type GoldOrder,
  type ManualReviewCode,
} from '../orders/index.ts';
import { findMoneyDoubt } from '../payments/index.ts';
import {
  markLatestDone,
  markQueried,
  markRefused,
  markUnknown,
  recordUnintended,
} from '../provider-operations/index.ts';
import type { AllocationDeps } from './buying.types.ts';
import { nextInstallmentStep, nextStep, takeNextStep, type NextStep } from './next-step.ts';

/** Returns true for a review that stays open after the gold was bought, because money is in doubt. */
const isAboutMoney = (code: ManualReviewCode | null): boolean =>
  code === 'FAILED_AFTER_PAID' || code === 'SECOND_CAPTURE' || code === 'PAYMENT_REVERSED';

/** The outcome of a turn at an allocation. */
interface AllocationOutcome {
  readonly orderId: string;
  readonly verdict: Verdict;
  /** The confirm that was queried, or undefined if no intent was ever written. */
  readonly confirmId: string | undefined;
  /** The worker that holds the confirm's lease, or undefined if the caller only queried. */
  readonly holderId?: string | undefined;
  /** True if the last request had certainly no effect. */
  readonly wasRefused?: boolean;
  readonly actor: Actor;
  /** True if an operator has accepted the order's payment, so that the review can end. */
  readonly isPaymentAccepted?: boolean;
  /** The reason that is recorded with the operation. */
  readonly reason: string;
  readonly invoiceId?: string | undefined;
}

/** The order's next step after an outcome, or SKIPPED if the outcome changes nothing. */
type RecordedAllocation = 'ALLOCATED' | 'RETRY' | 'REVIEW' | 'SKIPPED';

/**
 * Records the confirm as done, and returns the grams that its verify promised. Returns undefined if
 * no confirm and no verify is known.
 */
const markBought = async (
  { clock, random }: AllocationDeps,
  tx: Db,
  order: GoldOrder,
): Promise<Grams | undefined> => {
  const at = clock.now();
  const promised = await markLatestDone(tx, 'buy-confirm', order.id, at);
  if (promised !== undefined || !hasPriceLock(order)) return promised;
  await recordUnintended(tx, 'buy-confirm', order, { id: random.uuid(), at });
  return order.grams;
};

const markAllocated = async (
  deps: AllocationDeps,
  tx: Db,
  order: GoldOrder & { status: 'PAID' | 'RETRY_PENDING' | 'MANUAL_REVIEW' },
  { actor, invoiceId }: AllocationOutcome,
  allocatedAt: Date,
): Promise<void> => {
  const by = { actor, cause: 'provider.bought' };
  const { id } = order;
  let { status } = order;
  // A RETRY_PENDING order returns to PAID first, so that its history shows every try.
  if (status === 'RETRY_PENDING') {
    await transitionBuy(deps, tx, { id, status }, { to: 'PAID', ...by });
    status = 'PAID';
  }
  const changes = {
    allocatedAt,
    nextAttemptAt: null,
    manualReviewCode: null,
    manualReviewReason: null,
    ...(invoiceId !== undefined && { providerInvoiceId: invoiceId }),
  };
  await transitionBuy(deps, tx, { id, status }, { to: 'ALLOCATED', ...by, changes });
};

const credit = async (
  deps: AllocationDeps,
  tx: Db,
  order: GoldOrder,
  grams: Grams,
  at: Date,
): Promise<void> => {
  const { id: orderId, userId, amountPaise: investedPaise } = order;
  const movement = { movementId: deps.random.uuid(), userId, orderId, grams, investedPaise };
  await creditHolding(tx, { ...movement, at });
  await notifyBought(tx, deps.notify, { ...order, grams });
  await deps.onAllocated(tx, order);
  // Only an order with a failed try has a retry scheduled.
  if (order.allocationAttempts > 0) await cancelScheduled(tx, allocationKey(orderId));
};

/**
 * Sends an allocated order back to review if its money is in doubt. Reserves the gold if its payment
 * was reversed.
 */
const keepInReview = async (
  deps: AllocationDeps,
  tx: Db,
  order: GoldOrder,
  grams: Grams,
  { actor }: Pick<AllocationOutcome, 'actor'>,
): Promise<void> => {
  const { id: orderId, userId, manualReviewCode: code, manualReviewReason: reason } = order;
  const doubt = await findMoneyDoubt(tx, orderId);
  const remaining = isAboutMoney(code) ? code : (doubt ?? null);
  if (remaining === null) return;
  const by = { actor, cause: 'review.goes-on' };
  const review = { code: remaining, reason: reason ?? remaining };
  await sendBuyToReview(deps, tx, { ...order, status: 'ALLOCATED' }, review, by);
  if (doubt !== 'PAYMENT_REVERSED') return;
  const at = deps.clock.now();
  await reserveForReview(tx, { id: deps.random.uuid(), orderId, userId, grams, at });
};

const recordBought = async (
  deps: AllocationDeps,
  tx: Db,
  order: GoldOrder,
  outcome: AllocationOutcome,
): Promise<RecordedAllocation> => {
  const { logger } = deps;
  const { orderId, actor } = outcome;
  const promised = await markBought(deps, tx, order);
  if (order.allocatedAt !== null) return 'SKIPPED';
  const { status } = order;
  if (!isAwaitingAllocation(status) && status !== 'MANUAL_REVIEW') {
    logger.error({ orderId, status }, 'gold was bought for an order that has no money');
    return 'SKIPPED';
  }
  if (promised === undefined || promised !== order.grams) {
    logger.error({ orderId, status }, 'the provider confirmed different grams than ordered');
    if (!isAwaitingAllocation(status)) return 'SKIPPED';
    const reason =
      'The provider confirmed different grams than the order has. Nothing was credited.';
    const by = { actor, cause: 'provider.other-grams' };
    const review = { code: 'GRAMS_MISMATCH', reason } as const;
    await sendBuyToReview(deps, tx, { ...order, status }, review, by);
    return 'REVIEW';
  }
  // The order and the movement get the same time, so that they fall on the same day at midnight.
  const at = deps.clock.now();
  await markAllocated(deps, tx, { ...order, status }, outcome, at);
  await credit(deps, tx, order, promised, at);
  const mayBeInDoubt = status === 'MANUAL_REVIEW' && outcome.isPaymentAccepted !== true;
  if (mayBeInDoubt) await keepInReview(deps, tx, order, promised, { actor });
  return 'ALLOCATED';
};

/**
 * Records that the confirm is still undecided. Returns true if the caller may decide the order's next
 * step: it still holds the lease, or it only queried and the price lock has ended.
 */
const leaveOpen = async (
  { clock }: AllocationDeps,
  tx: Db,
  order: GoldOrder,
  { confirmId, holderId, reason, wasRefused = false }: AllocationOutcome,
): Promise<boolean> => {
  const at = clock.now();
  if (confirmId !== undefined && holderId !== undefined) {
    // A worker that has lost its lease leaves the next step to the new holder.
    return markUnknown(tx, confirmId, { holderId, wasRefused, at, reason });
  }
  if (confirmId !== undefined) await markQueried(tx, confirmId, at);
  return order.lockEndsAt !== null && at >= order.lockEndsAt;
};

const stepOfInstallment = (
  { clock, provider, allocationRetrySeconds: retrySeconds }: AllocationDeps,
  { allocationAttempts, lockStartedAt, lockEndsAt }: GoldOrder,
  verdict: Exclude<Verdict, 'BOUGHT'>,
  reason: string,
): NextStep => {
  const now = clock.now();
  // After the end of its price lock, a confirm is not sent again, but only queried until its outcome
  // is final.
  const isOver = lockEndsAt !== null && now >= lockEndsAt && verdict !== 'NEVER';
  const decidableAt =
    isOver && lockStartedAt !== null
      ? addMs(decidableAfter(lockStartedAt, provider.rules), 1000)
      : undefined;
  return nextInstallmentStep({
    now,
    failedTries: allocationAttempts + 1,
    retrySeconds,
    decidableAt,
    code: 'ALLOCATION_EXHAUSTED',
    reason: `The last one: ${reason}.`,
  });
};

const recordNotBought = async (
  deps: AllocationDeps,
  tx: Db,
  order: GoldOrder,
  verdict: Exclude<Verdict, 'BOUGHT'>,
  { actor, reason }: AllocationOutcome,
): Promise<RecordedAllocation> => {
  const { clock, allocationRetrySeconds: retrySeconds } = deps;
  const { status, lockEndsAt } = order;
  if (!isAwaitingAllocation(status) || lockEndsAt === null) return 'SKIPPED';
  const now = clock.now();
  const failedTries = order.allocationAttempts + 1;
  const next =
    order.type === 'BUY'
      ? nextStep({ verdict, now, lockEndsAt, failedTries, retrySeconds })
      : stepOfInstallment(deps, order, verdict, reason);
  return takeNextStep(deps, tx, { ...order, status }, next, actor);
};

const record = async (
  deps: AllocationDeps,
  tx: Db,
  order: GoldOrder,
  outcome: AllocationOutcome,
): Promise<RecordedAllocation> => {
  const { verdict, confirmId, reason } = outcome;
  if (verdict === 'BOUGHT') return recordBought(deps, tx, order, outcome);
  if (verdict === 'NEVER') {
    if (confirmId !== undefined) await markRefused(tx, confirmId, deps.clock.now(), reason);
  } else if (!(await leaveOpen(deps, tx, order, outcome))) return 'SKIPPED';
  return recordNotBought(deps, tx, order, verdict, outcome);
};

/**
 * Records the outcome of an allocation on its order (contract: states > Allocation retries). One
 * transaction reads everything again under the order's lock. `onCredited` runs in it if the gold was
 * credited, with the order as it was before.
 */
export const recordAllocationOutcome = async (
  deps: AllocationDeps,
  outcome: AllocationOutcome,
  onCredited?: (tx: Db, before: GoldOrder) => Promise<void>,
): Promise<RecordedAllocation> => {
  const { recorded, userId, paidAt } = await deps.inTransaction(async (tx) => {
    const order = await lockOrder(tx, outcome.orderId);
    if (order === undefined) return { recorded: 'SKIPPED' as const, userId: '', paidAt: null };
    const result = await record(deps, tx, order, outcome);
    if (result === 'ALLOCATED') await onCredited?.(tx, order);
    return { recorded: result, userId: order.userId, paidAt: order.paidAt };
  });
  if (recorded === 'ALLOCATED') {
    if (paidAt !== null) deps.observeAllocation?.(msBetween(paidAt, deps.clock.now()));
    await deps.portfolios.drop(userId);
  }
  return recorded;
};
