import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  idParams,
  ok,
  type RequestContext,
  type Route,
} from '../../platform/http/index.ts';
import { adminAccess, adminActor, type AdminPrincipal } from '../admins/index.ts';
import { kycOperatorView, queuePage, queueQuery, reasonBody } from './kyc.schemas.ts';
import { createKycStore, type KycRow } from './kyc.store.ts';
import { presentKycForOperator } from './present-kyc.ts';
import type { Reviewer, ReviewKyc } from './review-kyc.ts';

const readers = adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT');
const reviewers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['kyc'];

const reviewerOf = (principal: AdminPrincipal, context: RequestContext): Reviewer => ({
  ...adminActor(principal, context),
  adminId: principal.adminId,
});

/** The review queue and its decisions. */
export const createKycAdminRoutes = (options: {
  readonly db: Db;
  readonly vault: Vault;
  readonly review: ReviewKyc;
}): Route[] => {
  const { db, vault, review } = options;
  const store = createKycStore(db);

  const present = async (rows: readonly KycRow[]) => {
    const userIds = rows.map((row) => row.userId);
    const [sealers, documents] = await Promise.all([
      vault.forUsers(db, userIds),
      store.documentsOf(userIds),
    ]);
    return rows.map((row) =>
      presentKycForOperator(row, {
        sealer: sealers.get(row.userId),
        documents: documents.filter(({ userId }) => userId === row.userId),
      }),
    );
  };
  const presentOne = async (row: KycRow) => ok((await present([row]))[0]);

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
        const { rows, total } = await store.list(status, { page, limit });
        return ok({ items: await present(rows), total, page, limit });
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
        const row = await store.findById(params.id);
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
        presentOne(await review.approve(params.id, reviewerOf(principal, context))),
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
        presentOne(await review.reject(params.id, reviewerOf(principal, context), body.reason)),
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
      handler: async ({ params, body, principal, context }) => {
        const reviewer = reviewerOf(principal, context);
        return presentOne(await review.requestResubmit(params.id, reviewer, body.reason));
      },
    }),
  ];
};
