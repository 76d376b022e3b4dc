import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { documentBody, documentView, kycView, submitBody } from './kyc.schemas.ts';
import { findKycByUser } from './kyc.store.ts';
import { presentKyc } from './present-kyc.ts';
import { submitKyc, type SubmitKycDeps } from './submit-kyc.ts';
import { uploadDocument, type UploadDocumentDeps } from './upload-document.ts';

export type KycCustomerDeps = SubmitKycDeps & UploadDocumentDeps;

/** Declares a route for one-time codes of Aadhaar. It is only documented, and returns NOT_IMPLEMENTED. */
const aadhaarCodeRoute = (path: string, summary: string): Route =>
  defineRoute({
    method: 'POST',
    path,
    summary,
    tags: ['kyc'],
    access: customerAccess,
    responses: {},
    errors: ['NOT_IMPLEMENTED'],
    handler: async () => {
      throw new AppError('NOT_IMPLEMENTED');
    },
  });

/** The maximum body in bytes, for a document of 3 MB as base64 in JSON. */
const documentBodyLimitBytes = Math.floor(4.2 * 1024 * 1024);

/** Declares `/kyc` of the customer API. */
export const createKycCustomerRoutes = (deps: KycCustomerDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/kyc/documents',
    summary: 'Upload an identity document as JPEG, PNG, WebP or PDF of at most 3 MB',
    tags: ['kyc'],
    access: customerAccess,
    body: documentBody,
    bodyLimitBytes: documentBodyLimitBytes,
    responses: { 201: documentView },
    errors: ['LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
    handler: async ({ body, principal }) =>
      created({ documentKey: await uploadDocument(deps, principal.userId, body) }),
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
      ok(await presentKyc(deps, await submitKyc(deps, principal.userId, body))),
  }),
  defineRoute({
    method: 'GET',
    path: '/kyc/status',
    summary: 'The state of KYC, with masked numbers',
    tags: ['kyc'],
    access: customerAccess,
    responses: { 200: kycView },
    handler: async ({ principal }) =>
      ok(await presentKyc(deps, await findKycByUser(deps.db, principal.userId))),
  }),
  aadhaarCodeRoute('/kyc/aadhaar-otp', 'Send a code by Aadhaar. Not available yet'),
  aadhaarCodeRoute('/kyc/aadhaar-otp/verify', 'Verify a code by Aadhaar. Not available yet'),
];
