import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import { createWebhookInbox, type InboxDeps, type InboxHandler } from '../webhook-inbox/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import { APPLY_EVENT_TASK, createKycJobs } from './kyc.jobs.ts';
import { createKycEventSweeps } from './kyc.sweeps.ts';

/**
 * An event of the KYC provider. The inbox stores the delivery, and no code reads the content.
 */
export type KycEvent = object;

type Ignored = { readonly status: 'IGNORED' };

/** The inbox handler of the KYC provider. It stores every signed event and ignores it. */
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

/**
 * Creates the worker's jobs and sweeps for KYC events. They retry pending events and clear the bodies of
 * old events.
 */
export const createKycEvents = (
  deps: InboxDeps,
): { readonly jobs: TaskList; readonly sweeps: readonly Sweep[] } => {
  const inbox = createKycInbox(deps);
  return {
    jobs: createKycJobs(inbox),
    sweeps: createKycEventSweeps(inbox),
  };
};
