import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { approvePayout } from './payout-approval.ts';
import { listAttempts } from './payout-attempts.store.ts';
import { findPayout, listPayouts } from './payouts.store.ts';
import {
  operatorPayoutsQuery,
  payoutOperatorDetail,
  payoutOperatorPage,
  payoutOperatorView,
  presentPayoutDetail,
  presentPayoutForOperator,
  retryBody,
} from './payouts.schemas.ts';
import { retryPayout, type RetryDeps } from './retry-payout.ts';

const readers = adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT');
const approvers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['payouts'];

/** Declares `/payouts` of the admin API. */
export const createPayoutAdminRoutes = (deps: RetryDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/payouts',
    summary: 'Payouts, newest first. The default is pending and processing payouts',
    tags,
    access: readers,
    query: operatorPayoutsQuery,
    responses: { 200: payoutOperatorPage },
    handler: async ({ query: { status, page, limit, ...filter } }) => {
      const statuses = status === undefined ? (['PENDING', 'PROCESSING'] as const) : [status];
      const { rows, total } = await listPayouts(deps.db, { ...filter, statuses }, { page, limit });
      return ok({ items: rows.map(presentPayoutForOperator), total, page, limit });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/payouts/:id',
    summary: 'One payout with its attempts',
    tags,
    access: readers,
    params: idParams,
    responses: { 200: payoutOperatorDetail },
    errors: ['NOT_FOUND'],
    handler: async ({ params: { id } }) => {
      const payout = await findPayout(deps.db, id);
      if (payout === undefined) throw new AppError('NOT_FOUND');
      return ok(presentPayoutDetail(payout, await listAttempts(deps.db, id)));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/payouts/:id/approve',
    summary: 'Approve a pending payout. An ADMIN can approve up to INR 100,000',
    tags,
    access: approvers,
    params: idParams,
    responses: { 200: payoutOperatorView },
    errors: ['NOT_FOUND', 'PAYOUT_CAP_EXCEEDED', 'ILLEGAL_TRANSITION'],
    handler: async ({ params, principal, context }) =>
      ok(presentPayoutForOperator(await approvePayout(deps, params.id, { principal, context }))),
  }),
  defineRoute({
    method: 'POST',
    path: '/payouts/:id/retry',
    summary:
      'Retry a payout that was certainly not paid. An ADMIN can retry up to INR 100,000. After ' +
      'contradictory reports of the provider, only a SUPER_ADMIN can retry, with a note',
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
      'SERVICE_UNAVAILABLE',
      'BANK_ACCOUNT_NOT_VERIFIED',
    ],
    handler: async ({ params, body, principal, context }) => {
      const operator = { principal, context };
      const payout = await retryPayout(deps, params.id, operator, body);
      return ok(presentPayoutForOperator(payout));
    },
  }),
];
