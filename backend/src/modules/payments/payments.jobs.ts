import { z } from 'zod';
import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import { APPLY_EVENT_TASK } from './payment-events.ts';
import type { PaymentsDeps } from './payments.types.ts';
import { pollDuePayments } from './poll-gateway.ts';
import { resolveAttempts } from './resolve-attempts.ts';
import { pollReversals } from './poll-reversals.ts';

const payloadSchema = z.object({ eventId: z.uuid() });

/** Creates the module's jobs; all of them may run twice. */
export const createPaymentJobs = (inbox: Pick<WebhookInbox<never>, 'retryEvent'>): TaskList => ({
  [APPLY_EVENT_TASK]: async (payload) => inbox.retryEvent(payloadSchema.parse(payload).eventId),
});

/** Creates the sweeps that retry events and find captures and reversals that none reported. */
export const createPaymentSweeps = (deps: PaymentsDeps, inbox: WebhookInbox<never>): Sweep[] => [
  { name: 'payments-apply-due-events', run: () => inbox.retryPendingEvents() },
  { name: 'payments-apply-matchable-events', run: () => inbox.retryUnmatchedEvents() },
  { name: 'payments-ask-around-expiry', run: (signal) => pollDuePayments(deps, signal) },
  {
    name: 'payments-resolve-gateway-attempts',
    run: (signal) => resolveAttempts(deps, signal),
  },
  { name: 'payments-poll-reversals', run: (signal) => pollReversals(deps, signal) },
  { name: 'payments-purge-bodies', run: () => inbox.purgeEventBodies() },
];
