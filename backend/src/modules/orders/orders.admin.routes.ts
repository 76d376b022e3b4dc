import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { adminOrderPage, adminOrdersQuery, presentOrderRow } from './orders.schemas.ts';
import { listOrders } from './list-orders.store.ts';

/** Declares `GET /orders` of the admin API. The order-reviews module declares `GET /orders/:id`. */
export const createOrderAdminRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/orders',
    summary: 'Gold orders, newest first',
    tags: ['orders'],
    access: anyAdmin,
    query: adminOrdersQuery,
    responses: { 200: adminOrderPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const { rows, total } = await listOrders(db, filter, { page, limit });
      return ok({ items: rows.map(presentOrderRow), total, page, limit });
    },
  }),
];
