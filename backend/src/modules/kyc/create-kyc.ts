import type { Route } from '../../platform/http/index.ts';
import { createKycAdminRoutes } from './kyc.admin.routes.ts';
import { createKycCustomerRoutes, type KycCustomerDeps } from './kyc.customer.routes.ts';
import type { ReviewKycDeps } from './review-kyc.ts';

/** Wires the customer's side: documents, submission, status. */
export const createKyc = (deps: KycCustomerDeps): { customerRoutes: Route[] } => ({
  customerRoutes: createKycCustomerRoutes(deps),
});

/** Wires the operators' side: the queue and its decisions. */
export const createKycReview = (deps: ReviewKycDeps): { adminRoutes: Route[] } => ({
  adminRoutes: createKycAdminRoutes(deps),
});
