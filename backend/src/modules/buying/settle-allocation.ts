import { creditHolding } from '../holdings/index.ts';
import { cancelScheduled, schedule } from '../../platform/jobs/index.ts';
import type { Grams } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import {
  type Actor,
  type GoldOrder,
  type ManualReviewCode,
  allocationRetry,
  isAwaitingAllocation,
  isLockedBuy,
  lockOrder,
  notifyBought,
  notifyUnderReview,
} from '../orders/index.ts';
import {
  findLatestConfirm,
  markDone,
  markQueried,
  markRefused,
  markUnknown,
  newConfirm,
  recordIntent,
} from '../provider-operations/index.ts';
import type { AllocationDeps } from './allocation.deps.ts';
import { isAboutMoney, nextStep, type Verdict } from './allocation.rules.ts';

/** What is known after the provider was asked. */
export interface Finding {
  readonly orderId: string;
  readonly verdict: Verdict;
  /** The intent that was asked about; undefined where none was ever written. */
  readonly confirmId: string | undefined;
  /** Whoever holds the intent; undefined for one who only asked. */
  readonly holderId?: string;
  /** The confirm that was just tried was refused: that try certainly did not happen. */
  readonly certainlyNot?: boolean;
  readonly actor: Actor;
  /** For the record of the intent. */
  readonly reason: string;
  readonly invoiceId?: string | undefined;
}

type Settled = 'ALLOCATED' | 'RETRY' | 'REVIEW' | 'LEFT';

/**
 * Writes what the provider's word means for an order: one transaction under the order's lock, in
 * which everything is read again (decisions, section 3).
 */
export const createSettleAllocation = (deps: AllocationDeps) => {
  const { inTransaction, clock, random, logger, transitionBuy, notify, retrySeconds } = deps;

  const toReview = async (
    db: Db,
    order: GoldOrder & { status: 'PAID' | 'RETRY_PENDING' | 'ALLOCATED' },
    code: ManualReviewCode,
    reason: string,
    by: Pick<Finding, 'actor'> & { cause: string },
  ): Promise<void> => {
    await transitionBuy(db, order, {
      to: 'MANUAL_REVIEW',
      ...by,
      changes: { manualReviewCode: code, manualReviewReason: reason, nextAttemptAt: null },
      detail: { code, reason },
    });
    await notifyUnderReview(db, notify, order, code);
  };

  const credit = async (db: Db, order: GoldOrder, grams: Grams): Promise<void> => {
    const { id: orderId, userId, amountPaise: investedPaise } = order;
    const movement = { movementId: random.uuid(), userId, orderId, grams, investedPaise };
    await creditHolding(db, { ...movement, at: clock.now() });
    await notifyBought(db, notify, { ...order, grams });
    await cancelScheduled(db, allocationRetry(orderId, clock.now()).key);
  };

  const moveToAllocated = async (
    db: Db,
    order: GoldOrder & { status: 'PAID' | 'RETRY_PENDING' | 'MANUAL_REVIEW' },
    { actor, invoiceId }: Finding,
  ): Promise<void> => {
    const by = { actor, cause: 'provider.bought' };
    let { status } = order;
    if (status === 'RETRY_PENDING') {
      await transitionBuy(db, { id: order.id, status }, { to: 'PAID', ...by });
      status = 'PAID';
    }
    await transitionBuy(
      db,
      { id: order.id, status },
      {
        to: 'ALLOCATED',
        ...by,
        changes: {
          allocatedAt: clock.now(),
          nextAttemptAt: null,
          manualReviewCode: null,
          manualReviewReason: null,
          ...(invoiceId !== undefined && { providerInvoiceId: invoiceId }),
        },
      },
    );
  };

  /** Keeps that the gold was sold; answers the grams that its verify promised. */
  const recordBought = async (db: Db, order: GoldOrder): Promise<Grams | undefined> => {
    const at = clock.now();
    const known = await findLatestConfirm(db, 'buy-confirm', order.id);
    if (known !== undefined || !isLockedBuy(order)) {
      if (known !== undefined) await markDone(db, known.id, at);
      return known?.grams;
    }
    // Bought without an intent of ours: a database that was set back. The books agree again.
    const found = newConfirm(order, { id: random.uuid(), at });
    await recordIntent(db, 'buy-confirm', found, { holderId: random.uuid(), leaseMs: 0 });
    await markDone(db, found.id, at);
    return found.grams;
  };

  const allocate = async (db: Db, order: GoldOrder, finding: Finding): Promise<Settled> => {
    const { orderId } = finding;
    const promised = await recordBought(db, order);
    if (order.allocatedAt !== null) return 'LEFT';
    const { status, manualReviewCode: code, manualReviewReason: reason } = order;
    if (!isAwaitingAllocation(status) && status !== 'MANUAL_REVIEW') {
      logger.error({ orderId, status }, 'gold was bought for an order that has no money');
      return 'LEFT';
    }
    if (promised === undefined || promised !== order.grams) {
      logger.error({ orderId, status }, 'the provider confirmed other grams than were ordered');
      if (!isAwaitingAllocation(status)) return 'LEFT';
      const words = 'The provider confirmed other grams than the order has; nothing was credited.';
      const by = { actor: finding.actor, cause: 'provider.other-grams' };
      await toReview(db, { ...order, status }, 'GRAMS_MISMATCH', words, by);
      return 'REVIEW';
    }
    await moveToAllocated(db, { ...order, status }, finding);
    await credit(db, order, promised);
    // The gold is there now, but whether its money is stays what a person looks into.
    if (status === 'MANUAL_REVIEW' && code !== null && isAboutMoney(code)) {
      const by = { actor: finding.actor, cause: 'review.goes-on' };
      await toReview(db, { ...order, status: 'ALLOCATED' }, code, reason ?? code, by);
    }
    return 'ALLOCATED';
  };

  const fail = async (
    db: Db,
    order: GoldOrder,
    verdict: Exclude<Verdict, 'BOUGHT'>,
    { actor }: Finding,
  ): Promise<Settled> => {
    const { id: orderId, status, lockEndsAt } = order;
    if (!isAwaitingAllocation(status) || lockEndsAt === null) return 'LEFT';
    const now = clock.now();
    const failedTries = order.allocationAttempts + 1;
    const next = nextStep({ verdict, now, lockEndsAt, failedTries, retrySeconds });
    if (next.kind === 'REVIEW') {
      const by = { actor, cause: 'allocation.given-up' };
      await toReview(db, { ...order, status }, next.code, next.reason, by);
      return 'REVIEW';
    }
    if (status === 'RETRY_PENDING') return 'LEFT';
    await transitionBuy(
      db,
      { id: orderId, status },
      {
        to: 'RETRY_PENDING',
        cause: 'allocation.failed',
        actor,
        changes: { allocationAttempts: failedTries, nextAttemptAt: next.dueAt },
      },
    );
    await schedule(db, allocationRetry(orderId, next.dueAt));
    return 'RETRY';
  };

  /** Whether the finding may say anything about the order's next step. */
  const keepOpen = async (db: Db, finding: Finding, order: GoldOrder): Promise<boolean> => {
    const { confirmId, holderId, reason, certainlyNot = false } = finding;
    const at = clock.now();
    if (confirmId !== undefined && holderId !== undefined) {
      // One that lost its lease on the way leaves the next step to whoever has it now.
      return markUnknown(db, confirmId, { holderId, wasRefused: certainlyNot, at, reason });
    }
    if (confirmId !== undefined) await markQueried(db, confirmId, at);
    return order.lockEndsAt !== null && at >= order.lockEndsAt;
  };

  return async (
    finding: Finding,
    /** More to write in the same transaction, when the gold was credited. */
    also?: (db: Db, before: GoldOrder) => Promise<void>,
  ): Promise<Settled> => {
    const { orderId, verdict, confirmId, reason } = finding;
    const settled = await inTransaction(async (db): Promise<{ kind: Settled; userId?: string }> => {
      const order = await lockOrder(db, orderId);
      if (order === undefined) return { kind: 'LEFT' };
      const { userId } = order;
      if (verdict === 'BOUGHT') {
        const kind = await allocate(db, order, finding);
        if (kind === 'ALLOCATED') await also?.(db, order);
        return { kind, userId };
      }
      if (verdict !== 'NEVER') {
        if (!(await keepOpen(db, finding, order))) return { kind: 'LEFT' };
      } else if (confirmId !== undefined) {
        await markRefused(db, confirmId, clock.now(), reason);
      }
      return { kind: await fail(db, order, verdict, finding), userId };
    });
    if (settled.kind === 'ALLOCATED' && settled.userId !== undefined) {
      await deps.portfolios.drop(settled.userId);
    }
    return settled.kind;
  };
};

export type SettleAllocation = ReturnType<typeof createSettleAllocation>;
