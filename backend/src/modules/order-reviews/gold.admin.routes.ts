import type { Db } from '../../platform/db/index.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import type { ShowOrder } from './show-order.ts';
import {
  adminOrderPage,
  adminOrderView,
  adminOrdersQuery,
  createGoldOrderStore,
  presentOrderRow,
} from '../orders/index.ts';

/** `GET /orders`, `GET /orders/:id` of the admin API. */
export const createGoldAdminRoutes = (options: {
  readonly db: Db;
  readonly showOrder: ShowOrder;
}): Route[] => {
  const { db, showOrder } = options;
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
      summary: 'One gold order with its payments, its payout and its history',
      tags: ['orders'],
      access: anyAdmin,
      params: idParams,
      responses: { 200: adminOrderView },
      handler: async ({ params: { id } }) => ok(await showOrder(id)),
    }),
  ];
};
