import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { createWebhookInbox, type InboxDeps, type InboxHandler } from '../webhook-inbox/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import { APPLY_EVENT_TASK, createKycJobs } from './kyc.jobs.ts';
import { createKycEventSweeps } from './kyc.sweeps.ts';

/**
 * An event of the KYC provider. It is only stored as a record of its delivery, and nothing reads
 * it.
 */
export type KycEvent = object;

type Ignored = { readonly status: 'IGNORED' };

/** The inbox's part for the KYC provider: whatever is signed is kept and ignored. */
const handler: InboxHandler<KycEvent, Ignored> = {
  source: 'kyc',
  applyTask: APPLY_EVENT_TASK,
  namesOf: () => ({ eventType: 'kyc' }),
  serialize: (event) => event,
  parse: () => ({}),
  resolve: async () => ({ status: 'IGNORED' }),
  apply: async () => 'IGNORED',
  listMatchable: async () => [],
};

/** Creates the inbox of the KYC provider's events. */
export const createKycInbox = (deps: InboxDeps): WebhookInbox<KycEvent> =>
  createWebhookInbox(deps, handler);

/** Creates what the worker does with those events: late storing, and clearing their bodies. */
export const createKycEvents = (
  deps: InboxDeps,
): { readonly jobs: TaskList; readonly sweeps: readonly Sweep[] } => {
  const inbox = createKycInbox(deps);
  return {
    jobs: createKycJobs(inbox),
    sweeps: createKycEventSweeps(inbox),
  };
};
