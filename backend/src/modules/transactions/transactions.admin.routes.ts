import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { listAllTransactions } from './operator-feed.read-model.ts';
import {
  operatorFeedQuery,
  operatorTransactionPage,
  presentOperatorTransaction,
} from './transactions.schemas.ts';

/** Declares `/transactions` of the admin API. */
export const createTransactionAdminRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/transactions',
    summary: 'Gold orders, product orders and payouts of all customers, newest first',
    tags: ['transactions'],
    access: adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT'),
    query: operatorFeedQuery,
    responses: { 200: operatorTransactionPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const { rows, total } = await listAllTransactions(db, filter, { page, limit });
      return ok({ items: rows.map(presentOperatorTransaction), total, page, limit });
    },
  }),
];
