import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, pageQuery, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { listTransactions } from './transactions.read-model.ts';
import { presentTransaction, transactionPage } from './transactions.schemas.ts';

/** Declares `/transactions` of the customer API. */
export const createTransactionRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/transactions',
    summary: "The customer's gold orders, product orders and payouts, newest first",
    tags: ['transactions'],
    access: customerAccess,
    query: pageQuery,
    responses: { 200: transactionPage },
    handler: async ({ query, principal }) => {
      const { rows, total } = await listTransactions(db, principal.userId, query);
      return ok({ items: rows.map(presentTransaction), total, ...query });
    },
  }),
];
