import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Reply, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { forceReverify } from './force-reverify.ts';
import { documentTypes } from './document-type.ts';
import {
  documentParams,
  kycOperatorView,
  queuePage,
  queueQuery,
  reasonBody,
  reverifyBody,
} from './kyc.schemas.ts';
import { claimKyc, releaseKyc } from './claim-kyc.ts';
import { listKyc, type KycQueueDeps } from './kyc-queue.ts';
import { findKyc, type KycRow } from './kyc.store.ts';
import type { DocumentKind } from './kyc.types.ts';
import { presentKycForOperators } from './present-kyc.ts';
import { readDocument, type OpenedDocument, type ReadDocumentDeps } from './read-document.ts';
import { approveKyc, rejectKyc, requestResubmit } from './review-kyc.ts';

type KycAdminDeps = ReadDocumentDeps & KycQueueDeps;

const readers = adminAccess('SUPER_ADMIN', 'ADMIN', 'SUPPORT');
const reviewers = adminAccess('SUPER_ADMIN', 'ADMIN');
const tags = ['kyc'];

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
};

/**
 * Creates the response that shows a document in the browser. Its headers forbid scripts, further
 * requests, embedding and caching, because a customer uploaded the document.
 */
const showDocument = ({ bytes, contentType }: OpenedDocument, kind: DocumentKind): Reply => ({
  status: 200,
  bytes,
  headers: {
    'content-type': contentType,
    'content-disposition': `inline; filename="${kind}.${extensions[contentType] ?? 'bin'}"`,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'cache-control': 'no-store',
  },
});

const presentOne = async (deps: KycAdminDeps, row: KycRow) =>
  ok((await presentKycForOperators(deps, [row]))[0]);

const createQueueRoutes = (deps: KycAdminDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/kyc',
    summary: 'The KYC review queue, by default oldest first',
    tags,
    access: readers,
    query: queueQuery,
    responses: { 200: queuePage },
    handler: async ({ query: { page, limit, ...filter }, principal: { adminId } }) => {
      const { rows, total } = await listKyc(deps, { ...filter, adminId }, { page, limit });
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
      const row = await findKyc(deps.db, params.id);
      if (row === undefined) throw new AppError('NOT_FOUND');
      return presentOne(deps, row);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/kyc/:id/documents/:kind',
    summary: 'A document of the newest submission, decrypted. Each access is audited',
    tags,
    access: reviewers,
    params: documentParams,
    responses: { 200: null },
    produces: documentTypes,
    errors: ['DOCUMENT_UNREADABLE', 'SERVICE_UNAVAILABLE'],
    handler: async ({ params: { id, kind }, principal, context }) =>
      showDocument(await readDocument(deps, id, kind, { principal, context }), kind),
  }),
];

const createDecisionRoutes = (deps: KycAdminDeps): Route[] => [
  defineRoute({
    method: 'PATCH',
    path: '/users/:id/force-kyc-reverify',
    summary:
      'Return KYC to PENDING from any other state, so that the customer must submit it again',
    tags,
    access: reviewers,
    params: idParams,
    body: reverifyBody,
    responses: { 200: kycOperatorView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params, body, principal, context }) =>
      presentOne(deps, await forceReverify(deps, params.id, { principal, context }, body.reason)),
  }),
  defineRoute({
    method: 'POST',
    path: '/kyc/:id/approve',
    summary: 'Approve KYC, after registering the customer with the gold provider',
    tags,
    access: reviewers,
    params: idParams,
    responses: { 200: kycOperatorView },
    errors: ['ILLEGAL_TRANSITION', 'CONFLICT', 'PROVIDER_UNAVAILABLE', 'PROVIDER_MISMATCH'],
    handler: async ({ params, principal, context }) =>
      presentOne(deps, await approveKyc(deps, params.id, { principal, context })),
  }),
  defineRoute({
    method: 'POST',
    path: '/kyc/:id/reject',
    summary: 'Reject KYC, with a reason for the customer',
    tags,
    access: reviewers,
    params: idParams,
    body: reasonBody,
    responses: { 200: kycOperatorView },
    errors: ['ILLEGAL_TRANSITION', 'CONFLICT'],
    handler: async ({ params, body, principal, context }) =>
      presentOne(deps, await rejectKyc(deps, params.id, { principal, context }, body.reason)),
  }),
  defineRoute({
    method: 'POST',
    path: '/kyc/:id/request-resubmit',
    summary: 'Return KYC to PENDING, with a reason for the customer',
    tags,
    access: reviewers,
    params: idParams,
    body: reasonBody,
    responses: { 200: kycOperatorView },
    errors: ['ILLEGAL_TRANSITION', 'CONFLICT'],
    handler: async ({ params, body, principal, context }) =>
      presentOne(deps, await requestResubmit(deps, params.id, { principal, context }, body.reason)),
  }),
];

const createClaimRoutes = (deps: KycAdminDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/kyc/:id/claim',
    summary: 'Claim a submission for 15 minutes, so that no other operator can decide it',
    tags,
    access: reviewers,
    params: idParams,
    responses: { 200: kycOperatorView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'CONFLICT'],
    handler: async ({ params, principal, context }) =>
      presentOne(deps, await claimKyc(deps, params.id, { principal, context })),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/kyc/:id/claim',
    summary: "Release one of the caller's own claims",
    tags,
    access: reviewers,
    params: idParams,
    responses: { 200: kycOperatorView },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ params, principal, context }) =>
      presentOne(deps, await releaseKyc(deps, params.id, { principal, context })),
  }),
];

/** Declares `/kyc` of the admin API: the review queue, claims and decisions. */
export const createKycAdminRoutes = (deps: KycAdminDeps): Route[] => [
  ...createQueueRoutes(deps),
  ...createClaimRoutes(deps),
  ...createDecisionRoutes(deps),
];
