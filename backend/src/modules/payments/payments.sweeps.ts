import type { Sweep } from '../../platform/jobs/sweep.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import type { PaymentsDeps } from './payments.types.ts';
import { pollDuePayments } from './poll-gateway.ts';
import { pollReversals } from './poll-reversals.ts';
import { resolveAttempts } from './resolve-attempts.ts';

/** Creates the sweeps that retry events and find captures and reversals that no event reported. */
export const createPaymentSweeps = (deps: PaymentsDeps, inbox: WebhookInbox<never>): Sweep[] => [
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
