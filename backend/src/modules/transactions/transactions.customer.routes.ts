import type { Db } from '../../platform/db/index.ts';
import { betweenQuery, defineRoute, ok, pageQuery, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { listTransactions } from './transactions.read-model.ts';
import { presentTransaction, transactionPage } from './transactions.schemas.ts';

/** Declares `/transactions` of the customer API. */
export const createTransactionCustomerRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/transactions',
    summary: "The customer's gold orders, product orders and payouts, newest first",
    tags: ['transactions'],
    access: customerAccess,
    query: pageQuery.extend(betweenQuery),
    responses: { 200: transactionPage },
    handler: async ({ query: { page, limit, ...between }, principal: { userId } }) => {
      const bounds = { page, limit };
      const { rows, total } = await listTransactions(db, { userId, ...between }, bounds);
      return ok({ items: rows.map(presentTransaction), total, ...bounds });
    },
  }),
];
