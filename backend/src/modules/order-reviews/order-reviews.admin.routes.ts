import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, adminActor, anyAdmin } from '../admins/index.ts';
import { adminOrderView, resolveBody } from './order-reviews.schemas.ts';
import { readAdminOrder, type AdminOrderDeps } from './read-admin-order.ts';
import { resolveOrder, type ResolveOrderDeps } from './resolve-order.ts';

const tags = ['orders'];

/** Declares the admin API's routes of one order, including the resolution of its manual review. */
export const createOrderReviewAdminRoutes = (deps: AdminOrderDeps & ResolveOrderDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/orders/:id',
    summary: 'One gold order with its payments, its payout and its history',
    tags,
    access: anyAdmin,
    params: idParams,
    responses: { 200: adminOrderView },
    handler: async ({ params }) => ok(await readAdminOrder(deps, params.id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/orders/:id/resolve',
    summary: 'Resolve the manual review of a gold order',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    params: idParams,
    body: resolveBody,
    responses: { 200: adminOrderView },
    errors: [
      'ILLEGAL_TRANSITION',
      'KYC_REQUIRED',
      'OUTCOME_UNDECIDED',
      'SERVICE_UNAVAILABLE',
      'PRICE_UNAVAILABLE',
      'PROVIDER_UNAVAILABLE',
      'PROVIDER_REFUSED',
      'PROVIDER_MISMATCH',
    ],
    handler: async ({ params: { id }, body, principal, context }) => {
      const operator = adminActor(principal, context);
      await resolveOrder(deps, { orderId: id, body, adminId: principal.adminId, operator });
      return ok(await readAdminOrder(deps, id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/orders/:id/reconcile',
    summary: 'Reconcile one gold order. Not available yet, but the request is audited',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    params: idParams,
    responses: {},
    errors: ['NOT_IMPLEMENTED'],
    handler: async ({ params: { id }, principal, context }) => {
      await deps.audit.record(deps.db, {
        action: 'order.reconcile',
        ...adminActor(principal, context),
        target: { type: 'gold_order', id },
      });
      throw new AppError('NOT_IMPLEMENTED');
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/orders/:id/refund',
    summary: 'Refund a gold order. Not available yet: resolve its review with REFUNDED instead',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    params: idParams,
    responses: {},
    errors: ['NOT_IMPLEMENTED'],
    handler: async () => {
      throw new AppError('NOT_IMPLEMENTED');
    },
  }),
];
