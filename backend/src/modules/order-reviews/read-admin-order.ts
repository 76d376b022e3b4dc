import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  findOrder,
  listOrderEvents,
  paiseOrNull,
  presentEvent,
  presentOrderRow,
} from '../orders/index.ts';
import {
  listAttempts,
  listPaymentOrders,
  presentAttempt,
  presentPaymentOrder,
  type PaymentsDeps,
} from '../payments/index.ts';
import { findPayoutOfOrder, presentPayoutForOperator } from '../payouts/index.ts';
import type { AdminOrderView } from './order-reviews.schemas.ts';

export interface AdminOrderDeps {
  readonly db: Db;
  readonly payments: Pick<PaymentsDeps, 'gateways' | 'clock'>;
}

/** Presents an order's payment orders, newest first, with every attempt. */
const presentPayments = async ({ db, payments }: AdminOrderDeps, orderId: string) => {
  const orders = await listPaymentOrders(db, [orderId]);
  const attempts = await listAttempts(
    db,
    orders.map(({ id }) => id),
  );
  return orders.map((order) => ({
    ...presentPaymentOrder(payments, order),
    attempts: attempts.filter((each) => each.paymentOrderId === order.id).map(presentAttempt),
  }));
};

/**
 * Reads an order as operators see it, with its payments, its payout and its history.
 * @throws AppError NOT_FOUND
 */
export const readAdminOrder = async (deps: AdminOrderDeps, id: string): Promise<AdminOrderView> => {
  const { db } = deps;
  const order = await findOrder(db, id);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const [paymentOrders, payout, events] = await Promise.all([
    presentPayments(deps, id),
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
