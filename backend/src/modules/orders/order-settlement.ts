import { enqueue } from '../../platform/jobs/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { OrderSettlement, PayableOrder } from '../payments/index.ts';
import { allocationJob } from './allocation-job.ts';
import type { MoveOrder } from './create-move-order.ts';
import { createGoldOrderStore } from './gold-order.store.ts';
import type { GoldOrder, ManualReviewCode } from './gold.types.ts';
import { tellUnderReview } from './gold.notifications.ts';
import { buyStatuses } from './gold.types.ts';

const toPayable = (order: GoldOrder): PayableOrder => {
  const status = buyStatuses.find((known) => known === order.status);
  if (order.type === 'SELL' || status === undefined) {
    throw new Error(`order ${order.id} is not one that is paid for`);
  }
  const { id, userId, type, lockEndsAt, amountPaise } = order;
  return { id, userId, type, status, lockEndsAt, amountPaise };
};

/** How much of the story of an order under review is kept in its reason. */
const reasonLength = 2000;

/**
 * What payments do to gold orders, inside the transaction that applies a payment. See
 * OrderSettlement for the contract.
 */
export const createOrderSettlement = (options: {
  readonly moveOrder: MoveOrder;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly logger: Logger;
}): OrderSettlement => {
  const { moveOrder, notify, clock, logger } = options;

  /** Money came again for an order that waits for a person: that is the more urgent story. */
  const addToReview = async (
    db: Db,
    order: PayableOrder,
    code: ManualReviewCode,
    reason: string,
  ): Promise<void> => {
    await db.$executeRaw`
      UPDATE gold_order
      SET manual_review_code = ${code},
        manual_review_reason = left(${reason}::text || ' Before: ' || manual_review_code || ', '
          || manual_review_reason, ${reasonLength}::int),
        updated_at = ${clock.now()}::timestamptz
      WHERE id = ${order.id}::uuid AND status = 'MANUAL_REVIEW'`;
    logger.warn({ orderId: order.id, code }, 'more to review on a gold order');
  };

  return {
    async lockOrder(db, orderId) {
      const order = await createGoldOrderStore(db).lock(orderId);
      if (order === undefined) throw new Error(`there is no order ${orderId}`);
      return toPayable(order);
    },

    async markPaid(db, order, info) {
      const changes = { paidAt: clock.now(), failureCode: null };
      await moveOrder(db, order, { ...info, to: 'PAID', changes });
      await enqueue(db, allocationJob(order.id));
    },

    async markFailed(db, order, info) {
      const changes = { failureCode: 'PAYMENT_FAILED' };
      await moveOrder(db, order, { ...info, to: 'FAILED', changes });
    },

    async sendToReview(db, order, code, reason, info) {
      if (order.status === 'MANUAL_REVIEW') return addToReview(db, order, code, reason);
      await moveOrder(db, order, {
        ...info,
        to: 'MANUAL_REVIEW',
        changes: { manualReviewCode: code, manualReviewReason: reason, nextAttemptAt: null },
        detail: { code, reason },
      });
      await tellUnderReview(db, notify, order, code);
    },
  };
};
