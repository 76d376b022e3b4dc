import { z } from 'zod';
import type { Route } from '../../platform/http/index.ts';
import { createCallSweep } from '../../platform/collaborator-call/index.ts';
import { type Sweep, type TaskList, enqueue, sweepRows } from '../../platform/jobs/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { describeError } from '../../platform/observability/index.ts';
import { createWebhookInbox, type WebhookInbox } from '../webhook-inbox/index.ts';
import type { RetryDeps } from './retry-payout.ts';
import { dispatchPayout } from './dispatch-payout.ts';
import { createPayoutInboxHandler } from './payout-events.ts';
import { createPayoutAdminRoutes } from './payouts.admin.routes.ts';
import { createPayoutCustomerRoutes } from './payouts.customer.routes.ts';
import { APPLY_EVENT_TASK, DISPATCH_TASK, dispatchJob } from './payouts.jobs.ts';
import type { PayoutsDeps } from './payouts.types.ts';
import { createPayoutWebhookRoutes } from './payouts.webhook.routes.ts';
import { listPayoutsToPoll, markPayoutSwept } from './payout-attempt.store.ts';
import { listUndispatchedPayouts, markResumed } from './payout.store.ts';

export interface Payouts {
  /** GET /payouts, GET /payouts/:id. */
  readonly customerRoutes: Route[];
  /** POST /webhooks/payout, mounted on the customer API. */
  readonly webhookRoutes: Route[];
  /** GET /payouts, POST /payouts/:id/approve, POST /payouts/:id/retry. */
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
}

const payoutPayload = z.object({ payoutId: z.uuid() });
const eventPayload = z.object({ eventId: z.uuid() });

/** Creates the payouts of sales: dispatch, the provider's events, approvals and retries. */
export const createPayouts = (deps: RetryDeps): Payouts => {
  const inbox = createWebhookInbox(deps, createPayoutInboxHandler(deps));
  return {
    customerRoutes: createPayoutCustomerRoutes(deps.db),
    webhookRoutes: createPayoutWebhookRoutes({ ...deps, inbox }),
    adminRoutes: createPayoutAdminRoutes(deps),
    // All of them are safe to run twice.
    jobs: {
      [DISPATCH_TASK]: (payload) => dispatchPayout(deps, payoutPayload.parse(payload).payoutId),
      [APPLY_EVENT_TASK]: (payload) => inbox.retryEvent(eventPayload.parse(payload).eventId),
    },
    sweeps: createPayoutSweeps(deps, inbox),
  };
};

/** A payout untouched for longer has lost its job, or its provider is to be queried. */
const quietMs = 60_000;
const batchSize = 100;

/** Creates the sweeps over payouts and their events. */
const createPayoutSweeps = (deps: PayoutsDeps, inbox: WebhookInbox<never>): Sweep[] => {
  const { db, clock, logger } = deps;

  const quietBatch = () => {
    const now = clock.now();
    return { quietSince: addMs(now, -quietMs), now, limit: batchSize };
  };

  return [
    { name: 'payouts-apply-due-events', run: (signal) => inbox.retryPendingEvents(signal) },
    { name: 'payouts-apply-matchable-events', run: (signal) => inbox.retryUnmatchedEvents(signal) },
    {
      name: 'payouts-resume-pending',
      async run(signal) {
        await sweepRows({
          rows: await listUndispatchedPayouts(db, quietBatch()),
          signal,
          async handle(payoutId) {
            logger.warn({ payoutId }, 'a dispatch is resumed');
            // The time is written first, so that a payout that cannot be enqueued is not first
            // again.
            await markResumed(db, payoutId, clock.now());
            await enqueue(db, dispatchJob(payoutId));
            return true;
          },
          onError: (error, payoutId) =>
            logger.error({ payoutId, err: describeError(error) }, 'a dispatch was not resumed'),
        });
      },
    },
    createCallSweep({
      name: 'payouts-poll-attempts',
      flow: 'payout',
      logger,
      list: () => listPayoutsToPoll(db, quietBatch()),
      call: (payoutId) => dispatchPayout(deps, payoutId),
      postpone: (payoutId) => markPayoutSwept(db, payoutId, clock.now()),
      fieldsOf: (payoutId) => ({ payoutId }),
    }),
    { name: 'payouts-purge-bodies', run: () => inbox.purgeEventBodies() },
  ];
};
