import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { findOwnPayout, listPayouts } from './payouts.store.ts';
import { payoutPage, payoutsQuery, payoutViewSchema, presentPayout } from './payouts.schemas.ts';

/** Declares `GET /payouts` and `GET /payouts/:id` of the customer API. */
export const createPayoutCustomerRoutes = (db: Db): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/payouts',
    summary: "The caller's payouts, newest first",
    tags: ['payouts'],
    access: customerAccess,
    query: payoutsQuery,
    responses: { 200: payoutPage },
    handler: async ({ principal, query }) => {
      const { page, limit, ...range } = query;
      const filter = { ...range, userId: principal.userId };
      const { rows, total } = await listPayouts(db, filter, { page, limit });
      return ok({ items: rows.map(presentPayout), total, page, limit });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/payouts/:id',
    summary: "One of the caller's payouts",
    tags: ['payouts'],
    access: customerAccess,
    params: idParams,
    responses: { 200: payoutViewSchema },
    errors: ['NOT_FOUND'],
    handler: async ({ principal, params }) => {
      const payout = await findOwnPayout(db, params.id, principal.userId);
      if (payout === undefined) throw new AppError('NOT_FOUND');
      return ok(presentPayout(payout));
    },
  }),
];
