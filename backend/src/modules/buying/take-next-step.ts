import type { Db } from '../../platform/db/index.ts';
import { schedule } from '../../platform/jobs/index.ts';
import { allocationRetry, type Actor, type GoldOrder, type Orders } from '../orders/index.ts';
import type { NextStep } from './allocation.rules.ts';

type AwaitingOrder = Pick<GoldOrder, 'id' | 'userId'> & {
  readonly status: 'PAID' | 'RETRY_PENDING';
};

/**
 * Creates the step that follows a try of an allocation that has not bought the gold, in the
 * caller's transaction, the order locked: the next try, or a person.
 */
export const createTakeNextStep =
  ({ orders }: { readonly orders: Pick<Orders, 'transitionBuy' | 'sendToReview'> }) =>
  async (
    db: Db,
    order: AwaitingOrder,
    next: NextStep,
    actor: Actor,
  ): Promise<'RETRY' | 'REVIEW' | 'SKIPPED'> => {
    const { id, status } = order;
    if (next.kind === 'REVIEW') {
      const by = { actor, cause: 'allocation.given-up' };
      await orders.sendToReview(db, order, next.code, next.reason, by);
      return 'REVIEW';
    }
    if (status === 'RETRY_PENDING') return 'SKIPPED';
    const changes = { allocationAttempts: next.failedTries, nextAttemptAt: next.dueAt };
    const by = { cause: 'allocation.failed', actor };
    await orders.transitionBuy(db, { id, status }, { to: 'RETRY_PENDING', ...by, changes });
    await schedule(db, allocationRetry(id, next.dueAt));
    return 'RETRY';
  };
