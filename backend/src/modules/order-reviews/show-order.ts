import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { paymentOrderSchema, type PaymentOrder, type PaymentOrderView } from '../payments/index.ts';
import {
  adminOrderRow,
  findOrder,
  listOrderEvents,
  orderEventView,
  paiseInt,
  paiseOrNull,
  presentEvent,
  presentOrderRow,
} from '../orders/index.ts';
import { findPayoutOfOrder, payoutViewSchema, presentPayout } from '../payouts/index.ts';

/** An order as operators see it, with all that belongs to it. */
export const adminOrderView = adminOrderRow.extend({
  provider_amount_paise: paiseInt.nullable(),
  price_difference_paise: z.int().nullable(),
  payout: payoutViewSchema.nullable(),
  payments: z.array(paymentOrderSchema),
  events: z.array(orderEventView),
});

/** What operators are shown of an order's payments. */
export interface OrderPayments {
  /** Newest first. */
  listPaymentOrders(db: Db, orderIds: readonly string[]): Promise<readonly PaymentOrder[]>;
  presentPaymentOrder(order: PaymentOrder): PaymentOrderView;
}

export type ShowOrder = (orderId: string) => Promise<z.output<typeof adminOrderView>>;

/**
 * An order as operators see it: with its payments, its payout and its history.
 * @throws AppError NOT_FOUND
 */
export const createShowOrder = (options: {
  readonly db: Db;
  readonly payments: OrderPayments;
}): ShowOrder => {
  const { db, payments } = options;
  return async (id) => {
    const order = await findOrder(db, id);
    if (order === undefined) throw new AppError('NOT_FOUND');
    const [paymentOrders, payout, events] = await Promise.all([
      payments.listPaymentOrders(db, [id]),
      order.type === 'SELL' ? findPayoutOfOrder(db, id) : undefined,
      listOrderEvents(db, id),
    ]);
    return {
      ...presentOrderRow(order),
      provider_amount_paise: paiseOrNull(order.providerAmountPaise),
      price_difference_paise: paiseOrNull(order.priceDifferencePaise),
      payments: paymentOrders.map((paid) => payments.presentPaymentOrder(paid)),
      payout: payout === undefined ? null : presentPayout(payout),
      events: events.map(presentEvent),
    };
  };
};
