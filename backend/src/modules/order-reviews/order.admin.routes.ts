import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { adminOrderView, type ShowOrder } from './show-order.ts';

/** `GET /orders/:id` of the admin API. */
export const createOrderAdminRoute = (showOrder: ShowOrder): Route =>
  defineRoute({
    method: 'GET',
    path: '/orders/:id',
    summary: 'One gold order with its payments, its payout and its history',
    tags: ['orders'],
    access: anyAdmin,
    params: idParams,
    responses: { 200: adminOrderView },
    handler: async ({ params: { id } }) => ok(await showOrder(id)),
  });
