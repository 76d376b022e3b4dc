import { z } from 'zod';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { createWebhookInbox, type WebhookInbox } from '../webhook-inbox/index.ts';
import { createPaymentEventHandler, APPLY_EVENT_TASK } from './payment-events.ts';
import { createPaymentCustomerRoutes } from './payments.customer.routes.ts';
import type { PaymentsDeps } from './payments.types.ts';
import { createPaymentWebhookRoutes } from './payments.webhook.routes.ts';
import { pollDuePayments } from './poll-gateway.ts';
import { resolveAttempts } from './resolve-attempts.ts';
import { pollReversals } from './poll-reversals.ts';

/**
 * Creates what payments serve by themselves: their routes, the webhooks of gateways, their jobs and
 * sweeps. Other modules call the functions of payments, which take the same `PaymentsDeps`.
 */
export const createPayments = (deps: PaymentsDeps) => {
  const inbox = createWebhookInbox(deps, createPaymentEventHandler(deps));
  return {
    customerRoutes: [
      ...createPaymentCustomerRoutes(deps),
      ...createPaymentWebhookRoutes({ ...deps, inbox }),
    ],
    jobs: createPaymentJobs(inbox),
    sweeps: createPaymentSweeps(deps, inbox),
  };
};

const payloadSchema = z.object({ eventId: z.uuid() });

/** Creates the module's jobs. All of them may run twice. */
const createPaymentJobs = (inbox: Pick<WebhookInbox<never>, 'retryEvent'>): TaskList => ({
  [APPLY_EVENT_TASK]: async (payload) => inbox.retryEvent(payloadSchema.parse(payload).eventId),
});

/** Creates the sweeps that retry events and find captures and reversals that none reported. */
const createPaymentSweeps = (deps: PaymentsDeps, inbox: WebhookInbox<never>): Sweep[] => [
  { name: 'payments-apply-due-events', run: (signal) => inbox.retryPendingEvents(signal) },
  { name: 'payments-apply-matchable-events', run: (signal) => inbox.retryUnmatchedEvents(signal) },
  { name: 'payments-poll-due-payments', run: (signal) => pollDuePayments(deps, signal) },
  {
    name: 'payments-resolve-gateway-attempts',
    run: (signal) => resolveAttempts(deps, signal),
  },
  { name: 'payments-poll-reversals', run: (signal) => pollReversals(deps, signal) },
  { name: 'payments-purge-bodies', run: () => inbox.purgeEventBodies() },
];
