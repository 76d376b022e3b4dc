import type { Db } from '../../platform/db/index.ts';
import { schedule } from '../../platform/jobs/index.ts';
import {
  type GoldOrder,
  type LockedBuy,
  allocationRetry,
  isAwaitingAllocation,
  isLockedBuy,
  lockOrder,
} from '../orders/index.ts';
import {
  type Confirm,
  acquireConfirm,
  findLatestConfirm,
  newConfirm,
  recordIntent,
} from '../provider-operations/index.ts';
import { findBuyQuote } from '../quotes/index.ts';
import type { AllocationDeps } from './allocation.deps.ts';

/** How long a worker may be at one confirm, on the database's clock: longer than a call's limit. */
export const confirmLeaseMs = 20_000;

/** What a worker may do with an order now. */
export type Claim =
  /** Nothing is to be done, or not yet, or by somebody else. */
  | { readonly kind: 'LEAVE'; readonly why: string; readonly order: GoldOrder | undefined }
  /** The lock has ended: only the order-status may be asked. */
  | { readonly kind: 'ASK'; readonly order: LockedBuy; readonly confirm: Confirm | undefined }
  /** The intent is written and held; `askFirst` where there was an earlier try. */
  | {
      readonly kind: 'CONFIRM';
      readonly order: LockedBuy;
      readonly confirm: Pick<Confirm, 'id' | 'verifiedAt'>;
      readonly holderId: string;
      readonly askFirst: boolean;
    };

/**
 * Reads an order under its lock and writes the intent of a confirm, in one transaction that is
 * committed before anything is asked of the provider. One worker at a time holds the intent; one
 * whose lease lapsed may be taken over, and then the status is asked first.
 */
export const createClaimAllocation = (deps: AllocationDeps) => {
  const { inTransaction, clock, random, transitionBuy } = deps;

  const intend = async (db: Db, order: LockedBuy, holderId: string, at: Date) => {
    // What the verify promised stands in the quote; the order's own grams are held against it.
    const quote = await findBuyQuote(db, order.quoteId ?? '', order.userId);
    const intent = newConfirm(order, { id: random.uuid(), grams: quote?.grams, at });
    await recordIntent(db, 'buy-confirm', intent, { holderId, leaseMs: confirmLeaseMs });
    return intent;
  };

  /** The confirm, held by `holderId`; undefined when somebody else is quicker. */
  const hold = async (
    db: Db,
    order: LockedBuy,
    latest: Confirm | undefined,
    holderId: string,
    now: Date,
  ): Promise<Pick<Confirm, 'id' | 'verifiedAt'> | undefined> => {
    // One that was certainly refused leaves no doubt behind: the next try is a new intent.
    if (latest === undefined || latest.status === 'REFUSED') {
      return intend(db, order, holderId, now);
    }
    const lease = { holderId, leaseMs: confirmLeaseMs };
    return (await acquireConfirm(db, latest.id, lease)) ? latest : undefined;
  };

  return (orderId: string): Promise<Claim> =>
    inTransaction(async (db) => {
      const order = await lockOrder(db, orderId);
      const leave = (why: string): Claim => ({ kind: 'LEAVE', why, order });
      if (order === undefined) return leave('there is no such order');
      const { status } = order;
      if (!isAwaitingAllocation(status)) return leave(`it is ${status}`);
      if (!isLockedBuy(order)) return leave('it is not a buy');
      const latest = await findLatestConfirm(db, 'buy-confirm', orderId);
      if (latest?.isHeld === true) return leave('somebody is at it');
      const now = clock.now();
      if (now >= order.lockEndsAt) return { kind: 'ASK', order, confirm: latest };
      const { nextAttemptAt } = order;
      if (status === 'RETRY_PENDING' && nextAttemptAt !== null && now < nextAttemptAt) {
        // Another process's clock is a little ahead of this one: the job is not lost for that.
        await schedule(db, allocationRetry(orderId, nextAttemptAt));
        return leave('its next try is not due');
      }
      const holderId = random.uuid();
      const confirm = await hold(db, order, latest, holderId, now);
      if (confirm === undefined) return leave('somebody is at it');
      if (status === 'RETRY_PENDING') {
        const move = { to: 'PAID', cause: 'allocation.retry', actor: 'worker' } as const;
        await transitionBuy(db, { id: orderId, status }, move);
      }
      return { kind: 'CONFIRM', order, confirm, holderId, askFirst: latest !== undefined };
    });
};
