import type { Route } from '../../platform/http/index.ts';
import type { InboxDeps } from '../webhook-inbox/index.ts';
import { createKycCustomerRoutes, type KycCustomerDeps } from './kyc.customer.routes.ts';
import { createKycInbox } from './kyc-events.ts';
import { createKycWebhookRoutes, type KycWebhookDeps } from './kyc.webhook.routes.ts';

/** Creates the customers' routes of KYC and the KYC provider's webhook. */
export const createKyc = (
  deps: KycCustomerDeps & InboxDeps & Pick<KycWebhookDeps, 'isSignedBody'>,
): { readonly customerRoutes: Route[]; readonly webhookRoutes: Route[] } => ({
  customerRoutes: createKycCustomerRoutes(deps),
  webhookRoutes: createKycWebhookRoutes({ ...deps, inbox: createKycInbox(deps) }),
});
