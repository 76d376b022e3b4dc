import type { Route } from '../../platform/http/index.ts';
import type { InboxDeps } from '../webhook-inbox/index.ts';
import { createKycAdminRoutes } from './kyc.admin.routes.ts';
import { createKycCustomerRoutes, type KycCustomerDeps } from './kyc.customer.routes.ts';
import { createKycInbox } from './kyc-events.ts';
import { createKycWebhookRoutes, type KycWebhookDeps } from './kyc.webhook.routes.ts';
import type { ReadDocumentDeps } from './read-document.ts';

/** Wires the customer's side: documents, submission, status; and the provider's webhook. */
export const createKyc = (
  deps: KycCustomerDeps & InboxDeps & Pick<KycWebhookDeps, 'isSignedBody'>,
): { readonly customerRoutes: Route[]; readonly webhookRoutes: Route[] } => ({
  customerRoutes: createKycCustomerRoutes(deps),
  webhookRoutes: createKycWebhookRoutes({ ...deps, inbox: createKycInbox(deps) }),
});

/** Wires the operators' side: the queue and its decisions. */
export const createKycReview = (deps: ReadDocumentDeps): { adminRoutes: Route[] } => ({
  adminRoutes: createKycAdminRoutes(deps),
});
