import { createWebhookInbox } from '../webhook-inbox/index.ts';
import { createDispatchPayout } from './dispatch-payout.ts';
import { createInsertPayout } from './insert-payout.ts';
import { createLetPayoutGo } from './let-payout-go.ts';
import { createPayoutInboxHandler } from './payout-inbox-handler.ts';
import { createPayoutStore } from './payout.store.ts';
import { createPayoutAdminRoutes } from './payouts.admin.routes.ts';
import { createPayoutCustomerRoutes } from './payouts.customer.routes.ts';
import { createPayoutSweeps } from './payouts.janitor.ts';
import { createPayoutJobs } from './payouts.jobs.ts';
import { presentPayout } from './payouts.schemas.ts';
import type { Payouts, PayoutsDeps } from './payouts.deps.ts';
import { createPayoutWebhookRoutes } from './payouts.webhook.routes.ts';
import { createSettleAttempt } from './settle-attempt.ts';
import { createStartAttempt } from './start-attempt.ts';

/**
 * What is paid out for sells: dispatch, the provider's events, approvals and retries.
 * `sellSettlement` is the gold module's; nothing here moves a gold order but through it.
 */
export const createPayouts = (deps: PayoutsDeps): Payouts => {
  const { db } = deps;
  const settle = createSettleAttempt(deps);
  const startAttempt = createStartAttempt({ ...deps, settle });
  const parts = { ...deps, settle, startAttempt };
  const inbox = createWebhookInbox(deps, createPayoutInboxHandler(parts));
  const dispatch = createDispatchPayout(parts);
  return {
    customerRoutes: createPayoutCustomerRoutes(db),
    webhookRoutes: createPayoutWebhookRoutes({ ...deps, inbox }),
    adminRoutes: createPayoutAdminRoutes({ db, letGo: createLetPayoutGo(parts) }),
    jobs: createPayoutJobs({ dispatch, retryEvent: (eventId) => inbox.retryEvent(eventId) }),
    sweeps: createPayoutSweeps(deps, dispatch, inbox),
    insertPayout: createInsertPayout(deps),
    findPayoutOfOrder: (client, orderId) => createPayoutStore(client).findOfOrder(orderId),
    presentPayout,
  };
};
