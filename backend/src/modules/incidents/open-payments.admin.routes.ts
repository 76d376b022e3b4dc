import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import { findOpenPayment, listOpenPayments } from './open-payments.read-model.ts';
import {
  openPaymentPage,
  openPaymentsQuery,
  openPaymentView,
  presentOpenPayment,
  recordRefundBody,
} from './open-payments.schemas.ts';
import { recordUnmatchedRefund, type RecordRefundDeps } from './record-unmatched-refund.ts';

export type OpenPaymentDeps = RecordRefundDeps & { readonly db: Db };

const readOpenPayment = async (db: Db, id: string) => {
  const payment = await findOpenPayment(db, id);
  if (payment === undefined) throw new AppError('NOT_FOUND');
  return presentOpenPayment(payment);
};

/** Declares `/payments` of the admin API (contract: incidents > Open payments). */
export const createOpenPaymentAdminRoutes = (deps: OpenPaymentDeps): Route[] => {
  const shared = { tags: ['incidents'] };
  return [
    defineRoute({
      method: 'GET',
      path: '/payments',
      summary: 'Captured payments that need a decision by an operator, oldest first',
      access: anyAdmin,
      query: openPaymentsQuery,
      responses: { 200: openPaymentPage },
      ...shared,
      handler: async ({ query: { page, limit, ...filter } }) => {
        const { rows, total } = await listOpenPayments(deps.db, filter, { page, limit });
        return ok({ items: rows.map(presentOpenPayment), total, page, limit });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/payments/:id',
      summary: 'One captured payment with the actions that an operator can take',
      access: anyAdmin,
      params: idParams,
      responses: { 200: openPaymentView },
      errors: ['NOT_FOUND'],
      ...shared,
      handler: async ({ params: { id } }) => ok(await readOpenPayment(deps.db, id)),
    }),
    defineRoute({
      method: 'POST',
      path: '/payments/:id/refunded',
      summary: 'Record that a payment without a known order was refunded at its gateway',
      access: adminAccess('SUPER_ADMIN'),
      params: idParams,
      body: recordRefundBody,
      responses: { 204: null },
      errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'OUTCOME_UNDECIDED', 'SERVICE_UNAVAILABLE'],
      ...shared,
      handler: async ({ params: { id }, body, principal, context }) => {
        await recordUnmatchedRefund(deps, id, body, { principal, context });
        return { status: 204 };
      },
    }),
  ];
};
