import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { kycOperatorView, queuePage, queueQuery, reasonBody } from './kyc.schemas.ts';
import { findKyc, listKyc, type KycRow } from './kyc.store.ts';
import { presentKycForOperators } from './present-kyc.ts';
import { approveKyc, rejectKyc, requestResubmit, type ReviewKycDeps } from './review-kyc.ts';

const readers = adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT');
const reviewers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['kyc'];

/** Declares `/kyc` of the admin API: the review queue and its decisions. */
export const createKycAdminRoutes = (deps: ReviewKycDeps): Route[] => {
  const { db } = deps;
  const presentOne = async (row: KycRow) => ok((await presentKycForOperators(deps, [row]))[0]);

  return [
    defineRoute({
      method: 'GET',
      path: '/kyc',
      summary: 'The review queue',
      tags,
      access: readers,
      query: queueQuery,
      responses: { 200: queuePage },
      handler: async ({ query: { status, page, limit } }) => {
        const { rows, total } = await listKyc(db, status, { page, limit });
        return ok({ items: await presentKycForOperators(deps, rows), total, page, limit });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/kyc/:id',
      summary: 'One KYC record',
      tags,
      access: readers,
      params: idParams,
      responses: { 200: kycOperatorView },
      handler: async ({ params }) => {
        const row = await findKyc(db, params.id);
        if (row === undefined) throw new AppError('NOT_FOUND');
        return presentOne(row);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/kyc/:id/approve',
      summary: 'Approve; registers the customer with the gold provider first',
      tags,
      access: reviewers,
      params: idParams,
      responses: { 200: kycOperatorView },
      errors: ['ILLEGAL_TRANSITION', 'PROVIDER_UNAVAILABLE', 'PROVIDER_MISMATCH'],
      handler: async ({ params, principal, context }) =>
        presentOne(await approveKyc(deps, params.id, { principal, context })),
    }),
    defineRoute({
      method: 'POST',
      path: '/kyc/:id/reject',
      summary: 'Reject, with the reason that the customer reads',
      tags,
      access: reviewers,
      params: idParams,
      body: reasonBody,
      responses: { 200: kycOperatorView },
      errors: ['ILLEGAL_TRANSITION'],
      handler: async ({ params, body, principal, context }) =>
        presentOne(await rejectKyc(deps, params.id, { principal, context }, body.reason)),
    }),
    defineRoute({
      method: 'POST',
      path: '/kyc/:id/request-resubmit',
      summary: 'Back to PENDING, with the reason that the customer reads',
      tags,
      access: reviewers,
      params: idParams,
      body: reasonBody,
      responses: { 200: kycOperatorView },
      errors: ['ILLEGAL_TRANSITION'],
      handler: async ({ params, body, principal, context }) =>
        presentOne(await requestResubmit(deps, params.id, { principal, context }, body.reason)),
    }),
  ];
};
