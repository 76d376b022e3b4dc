import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  findOrder,
  listOrderEvents,
  paiseOrNull,
  presentEvent,
  presentOrderRow,
} from '../orders/index.ts';
import type { Payments } from '../payments/index.ts';
import { findPayoutOfOrder, presentPayoutForOperator } from '../payouts/index.ts';
import type { AdminOrderView } from './order-reviews.schemas.ts';

export interface AdminOrderDeps {
  readonly db: Db;
  readonly payments: Pick<Payments, 'presentToOperators'>;
}

/**
 * Reads an order as operators see it: with its payments, its payout and its history.
 * @throws AppError NOT_FOUND
 */
export const readAdminOrder = async (
  { db, payments }: AdminOrderDeps,
  id: string,
): Promise<AdminOrderView> => {
  const order = await findOrder(db, id);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const [paymentOrders, payout, events] = await Promise.all([
    payments.presentToOperators(db, id),
    order.type === 'SELL' ? findPayoutOfOrder(db, id) : undefined,
    listOrderEvents(db, id),
  ]);
  return {
    ...presentOrderRow(order),
    provider_amount_paise: paiseOrNull(order.providerAmountPaise),
    price_difference_paise: paiseOrNull(order.priceDifferencePaise),
    payments: paymentOrders,
    payout: payout === undefined ? null : presentPayoutForOperator(payout),
    events: events.map(presentEvent),
  };
};
