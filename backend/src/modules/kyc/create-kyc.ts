import type { Route } from '../../platform/http/index.ts';
import { createKycAdminRoutes } from './kyc.admin.routes.ts';
import { createKycCustomerRoutes } from './kyc.customer.routes.ts';
import { createReviewKyc, type ReviewKycOptions } from './review-kyc.ts';
import { createSubmitKyc, type SubmitKycOptions } from './submit-kyc.ts';
import { createUploadDocument } from './upload-document.ts';
import type { ObjectStore } from '../../adapters/object-store/port.ts';

/** The customer's side: documents, submission, status. */
export const createKyc = (
  options: SubmitKycOptions & { readonly objects: ObjectStore },
): { customerRoutes: Route[] } => ({
  customerRoutes: createKycCustomerRoutes({
    db: options.db,
    submit: createSubmitKyc(options),
    upload: createUploadDocument(options),
  }),
});

/** The operators' side: the queue and its decisions. */
export const createKycReview = (options: ReviewKycOptions): { adminRoutes: Route[] } => ({
  adminRoutes: createKycAdminRoutes({ ...options, review: createReviewKyc(options) }),
});
