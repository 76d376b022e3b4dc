import type { Route } from '../../platform/http/index.ts';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { createWebhookInbox } from '../webhook-inbox/index.ts';
import { dispatchPayout } from './dispatch-payout.ts';
import { createPayoutInboxHandler } from './payout-events.ts';
import { createPayoutAdminRoutes } from './payouts.admin.routes.ts';
import { createPayoutCustomerRoutes } from './payouts.customer.routes.ts';
import { createPayoutJobs } from './payouts.jobs.ts';
import { createPayoutSweeps } from './payouts.sweeps.ts';
import { createPayoutWebhookRoutes } from './payouts.webhook.routes.ts';
import type { RetryDeps } from './retry-payout.ts';

interface Payouts {
  /** The routes `GET /payouts` and `GET /payouts/:id`. */
  readonly customerRoutes: Route[];
  /** The route `POST /webhooks/payout`, which the customer API mounts. */
  readonly webhookRoutes: Route[];
  /** The routes `GET /payouts`, `POST /payouts/:id/approve` and `POST /payouts/:id/retry`. */
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
}

/**
 * Creates the routes, jobs and sweeps of payouts. They dispatch the payouts of sales, apply the
 * provider's events, and let operators approve and retry payouts.
 */
export const createPayouts = (deps: RetryDeps): Payouts => {
  const inbox = createWebhookInbox(deps, createPayoutInboxHandler(deps));
  return {
    customerRoutes: createPayoutCustomerRoutes(deps.db),
    webhookRoutes: createPayoutWebhookRoutes({ ...deps, inbox }),
    adminRoutes: createPayoutAdminRoutes(deps),
    jobs: createPayoutJobs(inbox, (payoutId) => dispatchPayout(deps, payoutId)),
    sweeps: createPayoutSweeps(deps, inbox),
  };
};
