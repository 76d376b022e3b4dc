import type { Db } from '../../platform/db/index.ts';
import { created, defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import {
  documentBody,
  documentBodyLimitBytes,
  documentView,
  kycView,
  submitBody,
} from './kyc.schemas.ts';
import { createKycStore } from './kyc.store.ts';
import { presentKyc } from './present-kyc.ts';
import type { SubmitKyc } from './submit-kyc.ts';
import type { UploadDocument } from './upload-document.ts';

/** `/kyc` of the customer API. */
export const createKycCustomerRoutes = (options: {
  readonly db: Db;
  readonly submit: SubmitKyc;
  readonly upload: UploadDocument;
}): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/kyc/documents',
    summary: 'Upload an identity document: JPEG, PNG, WebP or PDF, at most 3 MB',
    tags: ['kyc'],
    access: customerAccess,
    body: documentBody,
    bodyLimitBytes: documentBodyLimitBytes,
    responses: { 201: documentView },
    errors: ['LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
    handler: async ({ body, principal }) =>
      created({ documentKey: await options.upload(principal.userId, body) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/kyc/submit',
    summary: 'Submit KYC for review',
    tags: ['kyc'],
    access: customerAccess,
    body: submitBody,
    responses: { 200: kycView },
    errors: ['KYC_STATE', 'KYC_DUPLICATE'],
    handler: async ({ body, principal }) =>
      ok(presentKyc(await options.submit(principal.userId, body))),
  }),
  defineRoute({
    method: 'GET',
    path: '/kyc/status',
    summary: 'The state of KYC, numbers masked',
    tags: ['kyc'],
    access: customerAccess,
    responses: { 200: kycView },
    handler: async ({ principal }) =>
      ok(presentKyc(await createKycStore(options.db).findByUser(principal.userId))),
  }),
];
