import { toSafePaise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import type { PaymentOrder, PaymentOrderView } from '../payments/index.ts';
import { createGoldOrderStore } from './gold-order.store.ts';
import { adminOrderPage, adminOrderView, adminOrdersQuery } from './gold.schemas.ts';
import { presentEvent, presentOrderRow } from './present-gold.ts';

/** What operators are shown of an order's payments. */
export interface OrderPayments {
  /** Newest first. */
  listPaymentOrders(db: Db, orderIds: readonly string[]): Promise<readonly PaymentOrder[]>;
  presentPaymentOrder(order: PaymentOrder): PaymentOrderView;
}

/** `GET /orders`, `GET /orders/:id` of the admin API. */
export const createGoldAdminRoutes = (options: {
  readonly db: Db;
  readonly payments: OrderPayments;
}): Route[] => {
  const { db, payments } = options;
  return [
    defineRoute({
      method: 'GET',
      path: '/orders',
      summary: 'Gold orders, newest first',
      tags: ['orders'],
      access: anyAdmin,
      query: adminOrdersQuery,
      responses: { 200: adminOrderPage },
      handler: async ({ query: { page, limit, ...filter } }) => {
        const { rows, total } = await createGoldOrderStore(db).list(filter, { page, limit });
        return ok({ items: rows.map(presentOrderRow), total, page, limit });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/orders/:id',
      summary: 'One gold order with its payments and its history',
      tags: ['orders'],
      access: anyAdmin,
      params: idParams,
      responses: { 200: adminOrderView },
      handler: async ({ params: { id } }) => {
        const store = createGoldOrderStore(db);
        const order = await store.find(id);
        if (order === undefined) throw new AppError('NOT_FOUND');
        const { providerAmountPaise: charged } = order;
        const [paymentOrders, events] = await Promise.all([
          payments.listPaymentOrders(db, [id]),
          store.events(id),
        ]);
        return ok({
          ...presentOrderRow(order),
          provider_amount_paise: charged === null ? null : toSafePaise(charged),
          payments: paymentOrders.map((paid) => payments.presentPaymentOrder(paid)),
          events: events.map(presentEvent),
        });
      },
    }),
  ];
};
