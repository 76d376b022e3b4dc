import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { lockOrder } from './orders.store.ts';
import { sellStatuses, type Actor, type SellStatus } from './orders.types.ts';
import { createTransitionSale } from './orders.states.ts';

/** A sell order as its payout sees it: locked by `lockSellOrder` in the same transaction. */
export interface SaleOrder {
  readonly id: string;
  readonly userId: string;
  readonly status: SellStatus;
}

/** The cause and the actor of a sale's transition, for the order's history. */
export interface SaleCause {
  /** The provider's name of the event, or the other source of the report. */
  readonly cause: string;
  readonly actor: Actor;
  readonly requestId?: string;
}

interface CompleteSaleDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Locks the row of a sell order. This is the first lock of a transaction that applies a report of a
 * payout; the payout's comes after.
 */
export const lockSellOrder = async (db: Db, orderId: string): Promise<SaleOrder> => {
  const order = await lockOrder(db, orderId);
  const status = sellStatuses.find((known) => known === order?.status);
  invariant(order?.type === 'SELL' && status !== undefined, `order ${orderId} is a sell order`);
  return { id: order.id, userId: order.userId, status };
};

/** Marks a CONFIRMED sale COMPLETED: its payout was paid. */
export const markSaleCompleted = (
  deps: CompleteSaleDeps,
  db: Db,
  sale: SaleOrder,
  by: SaleCause,
): Promise<void> => createTransitionSale(deps)(db, sale, { ...by, to: 'COMPLETED' });

/** Returns a COMPLETED sale to CONFIRMED: the money of its payout came back. */
export const returnSaleToConfirmed = (
  deps: CompleteSaleDeps,
  db: Db,
  sale: SaleOrder,
  by: SaleCause,
): Promise<void> => createTransitionSale(deps)(db, sale, { ...by, to: 'CONFIRMED' });
