import type { Sweep } from '../../platform/jobs/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { type TransitionBuy, listLapsedBuys, lockOrder } from '../orders/index.ts';
import { type GoldBase, expireQuotes } from '../quotes/index.ts';

const batchSize = 500;

/** What giving up an unpaid order asks of payments. */
export interface UnpaidPayments {
  /** Asks the gateway for captures that nobody told us of; false when it gave no answer. */
  askForCaptures(orderId: string): Promise<boolean>;
  /** Ends the order's open payment orders, in the caller's transaction. */
  expirePaymentOrders(db: Db, orderId: string): Promise<number>;
}

/** The sweeps that expire quotes, and orders that nobody paid while their lock stood. */
export const createExpirySweeps = (
  deps: GoldBase & { readonly transitionBuy: TransitionBuy; readonly payments: UnpaidPayments },
): Sweep[] => {
  const { db, inTransaction, clock, logger, transitionBuy, payments } = deps;

  const giveUp = (orderId: string): Promise<void> =>
    inTransaction(async (tx) => {
      const order = await lockOrder(tx, orderId);
      const lockEndsAt = order?.lockEndsAt ?? null;
      const stands = lockEndsAt === null || lockEndsAt > clock.now();
      if (order?.status !== 'PENDING' || stands) return;
      await payments.expirePaymentOrders(tx, orderId);
      await transitionBuy(
        tx,
        { id: orderId, status: order.status },
        {
          to: 'FAILED',
          cause: 'lock.lapsed',
          actor: 'worker',
          changes: { failureCode: 'LOCK_LAPSED' },
        },
      );
    });

  return [
    {
      name: 'gold-expire-quotes',
      async run(signal) {
        while (!signal.aborted) {
          const count = await expireQuotes(db, clock.now(), batchSize);
          if (count > 0) logger.info({ count }, 'quotes expired');
          if (count < batchSize) return;
        }
      },
    },
    {
      name: 'gold-expire-unpaid',
      async run(signal) {
        const lapsed = await listLapsedBuys(db, clock.now(), batchSize);
        for (const { id: orderId } of lapsed) {
          if (signal.aborted) return;
          // Unknown is not unpaid: while the gateway gives no answer the order stays as it is.
          if (await payments.askForCaptures(orderId)) await giveUp(orderId);
          else logger.warn({ orderId }, 'an unpaid order waits for its gateway');
        }
      },
    },
  ];
};
