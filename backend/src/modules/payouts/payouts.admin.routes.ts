import type { Db } from '../../platform/db/index.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import type { LetPayoutGo } from './let-payout-go.ts';
import { createPayoutStore } from './payout.store.ts';
import {
  operatorPayoutsQuery,
  payoutOperatorPage,
  payoutOperatorView,
  presentPayoutForOperator,
  retryBody,
} from './payouts.schemas.ts';

const readers = adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT');
const approvers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['payouts'];

/** `GET /payouts` and what operators do to payouts. */
export const createPayoutAdminRoutes = (options: {
  readonly db: Db;
  readonly letGo: LetPayoutGo;
}): Route[] => {
  const { db, letGo } = options;
  return [
    defineRoute({
      method: 'GET',
      path: '/payouts',
      summary: 'Payouts, newest first; those pending and processing unless a status is given',
      tags,
      access: readers,
      query: operatorPayoutsQuery,
      responses: { 200: payoutOperatorPage },
      handler: async ({ query: { status, userId, ...page } }) => {
        const statuses = status === undefined ? (['PENDING', 'PROCESSING'] as const) : [status];
        const { rows, total } = await createPayoutStore(db).list({ userId, statuses }, page);
        return ok({ items: rows.map(presentPayoutForOperator), total, ...page });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/payouts/:id/approve',
      summary: 'Let a pending payout go; ADMIN up to INR 100,000',
      tags,
      access: approvers,
      params: idParams,
      responses: { 200: payoutOperatorView },
      errors: ['NOT_FOUND', 'PAYOUT_CAP_EXCEEDED', 'ILLEGAL_TRANSITION'],
      handler: async ({ params, principal, context }) =>
        ok(presentPayoutForOperator(await letGo.approve(params.id, { principal, context }))),
    }),
    defineRoute({
      method: 'POST',
      path: '/payouts/:id/retry',
      summary: 'Try a payout again that certainly was not paid; ADMIN up to INR 100,000',
      tags,
      access: approvers,
      params: idParams,
      body: retryBody,
      responses: { 200: payoutOperatorView },
      errors: [
        'NOT_FOUND',
        'PAYOUT_CAP_EXCEEDED',
        'ILLEGAL_TRANSITION',
        'OUTCOME_UNDECIDED',
        'BANK_ACCOUNT_NOT_VERIFIED',
      ],
      handler: async ({ params, body, principal, context }) => {
        const operator = { principal, context };
        const payout = await letGo.retry(params.id, operator, body.bankAccountId);
        return ok(presentPayoutForOperator(payout));
      },
    }),
  ];
};
