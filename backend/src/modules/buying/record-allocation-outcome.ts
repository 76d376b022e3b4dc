import { decidableAfter, type Verdict } from './allocation-verdict.ts';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Grams } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { cancelScheduled } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { creditHolding, reserveForReview, type PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import {
  allocationRetry,
  isAwaitingAllocation,
  isLockedBuy,
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
  findLatestConfirm,
  markDone,
  markQueried,
  markRefused,
  markUnknown,
  recordUnintended,
} from '../provider-operations/index.ts';
import { createTakeNextStep, nextInstallmentStep, nextStep, type NextStep } from './next-step.ts';

/** Reviews that stay open when the gold turns out to be there: the money is what is in doubt. */
const isAboutMoney = (code: ManualReviewCode | null): boolean =>
  code === 'FAILED_AFTER_PAID' || code === 'SECOND_CAPTURE' || code === 'PAYMENT_REVERSED';

/** The outcome of a try, by the provider's order-status. */
interface AllocationOutcome {
  readonly orderId: string;
  readonly verdict: Verdict;
  /** The confirm that was queried; undefined where no intent was ever written. */
  readonly confirmId: string | undefined;
  /** Whoever holds the confirm's lease; undefined for one who only queried. */
  readonly holderId?: string;
  /** The confirm that was just sent was refused: that try certainly did not happen. */
  readonly wasRefused?: boolean;
  readonly actor: Actor;
  /** An operator has judged the order's money: no doubt about it keeps the review open. */
  readonly isMoneyJudged?: boolean;
  /** For the record of the operation. */
  readonly reason: string;
  readonly invoiceId?: string | undefined;
}

/** The order's next step after an outcome; SKIPPED where it said nothing new about the order. */
type Recorded = 'ALLOCATED' | 'RETRY' | 'REVIEW' | 'SKIPPED';

export interface RecordOutcomeDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly provider: Pick<GoldProvider, 'rules'>;
  readonly notify: Notify;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  /** Does what else an allocation brings about, in its transaction and under the holding's lock. */
  readonly onAllocated: (db: Db, order: Pick<GoldOrder, 'id' | 'userId'>) => Promise<void>;
  /** The waits before each retry of an allocation (ALLOCATION_RETRY_SECONDS). */
  readonly retrySeconds: readonly number[];
}

/**
 * Creates the step that writes down what the provider's answer means for a paid order: one
 * transaction under the order's lock, in which everything is read again
 * (contract: states > Allocation retries).
 */
export const createRecordAllocationOutcome = (deps: RecordOutcomeDeps) => {
  const { inTransaction, clock, random, logger, notify, retrySeconds } = deps;
  const takeNextStep = createTakeNextStep(deps);

  const credit = async (db: Db, order: GoldOrder, grams: Grams, at: Date): Promise<void> => {
    const { id: orderId, userId, amountPaise: investedPaise } = order;
    const movement = { movementId: random.uuid(), userId, orderId, grams, investedPaise };
    await creditHolding(db, { ...movement, at });
    await notifyBought(db, notify, { ...order, grams });
    await deps.onAllocated(db, order);
    await cancelScheduled(db, allocationRetry(orderId, clock.now()).key);
  };

  const markAllocated = async (
    db: Db,
    order: GoldOrder & { status: 'PAID' | 'RETRY_PENDING' | 'MANUAL_REVIEW' },
    { actor, invoiceId }: AllocationOutcome,
    allocatedAt: Date,
  ): Promise<void> => {
    const by = { actor, cause: 'provider.bought' };
    const { id } = order;
    let { status } = order;
    // Only a PAID order is ever allocated, so that its history shows every try.
    if (status === 'RETRY_PENDING') {
      await transitionBuy(deps, db, { id, status }, { to: 'PAID', ...by });
      status = 'PAID';
    }
    const changes = {
      allocatedAt,
      nextAttemptAt: null,
      manualReviewCode: null,
      manualReviewReason: null,
      ...(invoiceId !== undefined && { providerInvoiceId: invoiceId }),
    };
    await transitionBuy(deps, db, { id, status }, { to: 'ALLOCATED', ...by, changes });
  };

  /** Records the confirm as done; returns the grams that its verify promised. */
  const markBought = async (db: Db, order: GoldOrder): Promise<Grams | undefined> => {
    const at = clock.now();
    const known = await findLatestConfirm(db, 'buy-confirm', order.id);
    if (known !== undefined || !isLockedBuy(order)) {
      if (known !== undefined) await markDone(db, known.id, at);
      return known?.grams;
    }
    await recordUnintended(db, 'buy-confirm', order, { id: random.uuid(), at });
    return order.grams;
  };

  /**
   * Goes on with the review of an order whose gold is there now where its money is what is in
   * doubt; the gold of money that went away is reserved.
   */
  const keepInReview = async (
    db: Db,
    order: GoldOrder,
    grams: Grams,
    { actor }: Pick<AllocationOutcome, 'actor'>,
  ): Promise<void> => {
    const { id: orderId, userId, manualReviewCode: code, manualReviewReason: reason } = order;
    const doubt = await findMoneyDoubt(db, orderId);
    const left = isAboutMoney(code) ? code : (doubt ?? null);
    if (left === null) return;
    const by = { actor, cause: 'review.goes-on' };
    const review = { code: left, reason: reason ?? left };
    await sendBuyToReview(deps, db, { ...order, status: 'ALLOCATED' }, review, by);
    if (doubt !== 'PAYMENT_REVERSED') return;
    await reserveForReview(db, { id: random.uuid(), orderId, userId, grams, at: clock.now() });
  };

  const recordBought = async (
    db: Db,
    order: GoldOrder,
    outcome: AllocationOutcome,
  ): Promise<Recorded> => {
    const { orderId, actor } = outcome;
    const promised = await markBought(db, order);
    if (order.allocatedAt !== null) return 'SKIPPED';
    const { status } = order;
    if (!isAwaitingAllocation(status) && status !== 'MANUAL_REVIEW') {
      logger.error({ orderId, status }, 'gold was bought for an order that has no money');
      return 'SKIPPED';
    }
    if (promised === undefined || promised !== order.grams) {
      logger.error({ orderId, status }, 'the provider confirmed other grams than were ordered');
      if (!isAwaitingAllocation(status)) return 'SKIPPED';
      const review = {
        code: 'GRAMS_MISMATCH',
        reason: 'The provider confirmed other grams than the order has; nothing was credited.',
      } as const;
      const by = { actor, cause: 'provider.other-grams' };
      await sendBuyToReview(deps, db, { ...order, status }, review, by);
      return 'REVIEW';
    }
    // One moment for both, so that registers and movements agree at the turn of a day.
    const at = clock.now();
    await markAllocated(db, { ...order, status }, outcome, at);
    await credit(db, order, promised, at);
    const isJudged = outcome.isMoneyJudged === true;
    if (status === 'MANUAL_REVIEW' && !isJudged) await keepInReview(db, order, promised, { actor });
    return 'ALLOCATED';
  };

  const stepOfInstallment = (
    { allocationAttempts, lockStartedAt, lockEndsAt }: GoldOrder,
    verdict: Exclude<Verdict, 'BOUGHT'>,
    reason: string,
  ): NextStep => {
    const now = clock.now();
    // Past the end of its verify a confirm is not sent again, only asked about until it is decided.
    const isOver = lockEndsAt !== null && now >= lockEndsAt && verdict !== 'NEVER';
    const decidableAt =
      isOver && lockStartedAt !== null
        ? addMs(decidableAfter(lockStartedAt, deps.provider.rules), 1000)
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
    db: Db,
    order: GoldOrder,
    verdict: Exclude<Verdict, 'BOUGHT'>,
    { actor, reason }: AllocationOutcome,
  ): Promise<Recorded> => {
    const { status, lockEndsAt } = order;
    if (!isAwaitingAllocation(status) || lockEndsAt === null) return 'SKIPPED';
    const now = clock.now();
    const failedTries = order.allocationAttempts + 1;
    const next =
      order.type === 'BUY'
        ? nextStep({ verdict, now, lockEndsAt, failedTries, retrySeconds })
        : stepOfInstallment(order, verdict, reason);
    return takeNextStep(db, { ...order, status }, next, actor);
  };

  /** Leaves the confirm open; returns true where the outcome may decide the order's next step. */
  const leaveOpen = async (
    db: Db,
    outcome: AllocationOutcome,
    order: GoldOrder,
  ): Promise<boolean> => {
    const { confirmId, holderId, reason, wasRefused = false } = outcome;
    const at = clock.now();
    if (confirmId !== undefined && holderId !== undefined) {
      // One that lost its lease on the way leaves the next step to whoever has it now.
      return markUnknown(db, confirmId, { holderId, wasRefused, at, reason });
    }
    if (confirmId !== undefined) await markQueried(db, confirmId, at);
    return order.lockEndsAt !== null && at >= order.lockEndsAt;
  };

  const record = async (
    db: Db,
    order: GoldOrder,
    outcome: AllocationOutcome,
  ): Promise<Recorded> => {
    const { verdict, confirmId, reason } = outcome;
    if (verdict === 'BOUGHT') return recordBought(db, order, outcome);
    if (verdict === 'NEVER') {
      if (confirmId !== undefined) await markRefused(db, confirmId, clock.now(), reason);
    } else if (!(await leaveOpen(db, outcome, order))) return 'SKIPPED';
    return recordNotBought(db, order, verdict, outcome);
  };

  return async (
    outcome: AllocationOutcome,
    /** Writes more in the same transaction, when the gold was credited. */
    also?: (db: Db, before: GoldOrder) => Promise<void>,
  ): Promise<Recorded> => {
    const { recorded, userId } = await inTransaction(async (db) => {
      const order = await lockOrder(db, outcome.orderId);
      if (order === undefined) return { recorded: 'SKIPPED' as const, userId: '' };
      const result = await record(db, order, outcome);
      if (result === 'ALLOCATED') await also?.(db, order);
      return { recorded: result, userId: order.userId };
    });
    if (recorded === 'ALLOCATED') await deps.portfolios.drop(userId);
    return recorded;
  };
};

export type RecordAllocationOutcome = ReturnType<typeof createRecordAllocationOutcome>;
