import { execute, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Notify } from '../notifications/index.ts';
import { transitionBuy, type TransitionDeps } from './orders.states.ts';
import { notifyInstallmentFailed, notifyUnderReview } from './orders.notifications.ts';
import { allocationJob } from './orders.jobs.ts';
import { lockOrder } from './orders.store.ts';
import {
  buyStatuses,
  hasGold,
  type BuyStatus,
  type GoldOrder,
  type ManualReviewCode,
} from './orders.types.ts';

/** The fields of a buy or an installment that its payments need. */
export interface PayableOrder {
  readonly id: string;
  readonly userId: string;
  readonly type: 'BUY' | 'SIP_INSTALLMENT';
  readonly status: BuyStatus;
  /** The end of the provider's price lock, or null for an installment, which has none. */
  readonly lockEndsAt: Date | null;
  readonly amountPaise: GoldOrder['amountPaise'];
  /** The grams that the order credited to the customer, or null if there are none. */
  readonly allocatedGrams: GoldOrder['grams'];
  /**
   * True if the order was ever allocated, even if its gold was recovered. An order is allocated
   * only once.
   */
  readonly wasAllocated: boolean;
  /** The end of the time in which the order can be paid, or null. */
  readonly expiresAt: Date | null;
  /** The plan of an installment, or null. */
  readonly sipPlanId: string | null;
  /** The number of an installment in its plan, from 1, or null. */
  readonly installmentNo: number | null;
}

/** The cause of a transition, for the order's history. */
export interface CausedBy {
  /** The gateway's name of the event, or another source of the report. */
  readonly cause: string;
  /** The actor of the transition, for example `gateway:<code>` or `worker`. */
  readonly actor: string;
  readonly requestId?: string | undefined;
  /** The reason of the transition, for operators. */
  readonly reason?: string;
}

const toPayable = (order: GoldOrder): PayableOrder => {
  const status = buyStatuses.find((each) => each === order.status);
  invariant(order.type !== 'SELL' && status, `order ${order.id} is paid for`);
  const { id, userId, type, amountPaise, expiresAt, sipPlanId, installmentNo } = order;
  // An installment gets its price lock only when it is allocated, so it had none when it was paid.
  const lockEndsAt = type === 'BUY' ? order.lockEndsAt : null;
  const allocatedGrams = hasGold(order) ? order.grams : null;
  const common = { id, userId, type, status, amountPaise, lockEndsAt, expiresAt };
  const wasAllocated = order.allocatedAt !== null;
  return { ...common, allocatedGrams, wasAllocated, sipPlanId, installmentNo };
};

/** Locks an order's row. Every transaction takes this lock before the lock of a payment order. */
export const lockPayableOrder = async (tx: Db, orderId: string): Promise<PayableOrder> => {
  const order = await lockOrder(tx, orderId);
  invariant(order, `there is an order ${orderId}`);
  return toPayable(order);
};

/** The code of an order's review, and its reason as a text for operators. */
interface Review {
  readonly code: ManualReviewCode;
  readonly reason: string;
}

/** The maximum length of a stored reason. The earlier part of a longer reason is shortened. */
const reasonLength = 2000;

/** The dependencies of the functions that change an order's state and notify its customer. */
export interface OrderDeps extends TransitionDeps {
  readonly notify: Notify;
}

/**
 * Changes a PENDING or FAILED order to PAID, clears the fields of an earlier payment, and queues
 * its allocation. The caller holds the order's lock.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, buy)
 */
export const markOrderPaid = async (
  deps: TransitionDeps,
  tx: Db,
  order: PayableOrder,
  by: CausedBy,
): Promise<void> => {
  const changes = {
    paidAt: deps.clock.now(),
    failureCode: null,
    refundReference: null,
    allocationAttempts: 0,
    nextAttemptAt: null,
  };
  await transitionBuy(deps, tx, order, { ...by, to: 'PAID', changes });
  await enqueue(tx, allocationJob(order.id));
};

/**
 * Fails a PENDING order. The customer of an installment is notified and may still pay it. The
 * caller holds the order's lock.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, buy)
 */
export const markOrderFailed = async (
  deps: OrderDeps,
  tx: Db,
  order: PayableOrder,
  { reason, ...by }: CausedBy,
  failureCode: 'PAYMENT_FAILED' | 'UNPAID' = 'PAYMENT_FAILED',
): Promise<void> => {
  const detail = reason === undefined ? {} : { detail: { reason } };
  await transitionBuy(deps, tx, order, {
    ...by,
    ...detail,
    to: 'FAILED',
    changes: { failureCode },
  });
  if (order.type === 'SIP_INSTALLMENT') await notifyInstallmentFailed(tx, deps.notify, order);
};

/**
 * Replaces the code of a review by a more urgent code. The earlier code and reason are appended to
 * the new reason.
 */
const replaceReviewCode = async (
  { clock, logger }: OrderDeps,
  tx: Db,
  { id }: Pick<PayableOrder, 'id'>,
  { code, reason }: Review,
): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE gold_order
      SET manual_review_code = ${code},
        manual_review_reason = left(${reason}::text || ' Before: ' || manual_review_code || ', '
          || manual_review_reason, ${reasonLength}::int),
        updated_at = ${clock.now()}::timestamptz
      WHERE id = ${id}::uuid AND status = 'MANUAL_REVIEW'`,
  );
  logger.warn({ orderId: id, code }, 'a gold order under review has a new reason');
};

/**
 * Changes an order to MANUAL_REVIEW and notifies its customer. If the order is already under review,
 * only its code is replaced, and the earlier code and reason are appended to the new reason. The
 * caller holds the order's lock.
 * @throws AppError ILLEGAL_TRANSITION (contract: states > Gold order, buy)
 */
export const sendBuyToReview = async (
  deps: OrderDeps,
  tx: Db,
  order: Pick<PayableOrder, 'id' | 'userId' | 'status'>,
  { code, reason }: Review,
  by: CausedBy,
): Promise<void> => {
  if (order.status === 'MANUAL_REVIEW') return replaceReviewCode(deps, tx, order, { code, reason });
  await transitionBuy(deps, tx, order, {
    ...by,
    to: 'MANUAL_REVIEW',
    changes: { manualReviewCode: code, manualReviewReason: reason, nextAttemptAt: null },
    detail: { code, reason },
  });
  await notifyUnderReview(tx, deps.notify, order, code);
};

/**
 * Appends a sentence to the reason of an order under review. The code does not change. The caller
 * holds the order's lock.
 */
export const addToReviewReason = async (
  { clock, logger }: Pick<OrderDeps, 'clock' | 'logger'>,
  tx: Db,
  { id }: Pick<PayableOrder, 'id'>,
  addition: string,
): Promise<void> => {
  const count = await execute(
    tx,
    sql`
      UPDATE gold_order
      SET manual_review_reason = left(manual_review_reason,
          ${Math.max(0, reasonLength - addition.length - 1)}::int) || ' ' || ${addition}::text,
        updated_at = ${clock.now()}::timestamptz
      WHERE id = ${id}::uuid AND status = 'MANUAL_REVIEW'`,
  );
  invariant(count === 1, `order ${id} is under review`);
  logger.warn({ orderId: id }, 'added to the review reason of a gold order');
};

/**
 * Changes the code of a review to the code of the problem that remains. The caller holds the order's
 * lock.
 */
export const changeReviewCode = async (
  { clock }: Pick<OrderDeps, 'clock'>,
  tx: Db,
  { id }: Pick<PayableOrder, 'id'>,
  code: ManualReviewCode,
): Promise<void> => {
  const at = clock.now();
  const { count } = await tx.goldOrder.updateMany({
    where: { id, status: 'MANUAL_REVIEW' },
    data: { manualReviewCode: code, updatedAt: at },
  });
  invariant(count === 1, `order ${id} is under review`);
};
