import { z } from 'zod';
import type { JobRequest, TaskList } from '../../platform/jobs/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';

const DISPATCH_TASK = 'payouts.dispatch';

/** Applies one stored event. */
export const APPLY_EVENT_TASK = 'payouts.apply-event';

/** Dispatches a payout, or finds out about its open attempt. Not doubled while it waits. */
export const dispatchJob = (payoutId: string): JobRequest => ({
  task: DISPATCH_TASK,
  payload: { payoutId },
  key: `${DISPATCH_TASK}:${payoutId}`,
});

const payoutPayload = z.object({ payoutId: z.uuid() });
const eventPayload = z.object({ eventId: z.uuid() });

/** Creates the module's jobs. All of them may run twice. */
export const createPayoutJobs = (
  inbox: Pick<WebhookInbox<never>, 'retryEvent'>,
  dispatch: (payoutId: string) => Promise<void>,
): TaskList => ({
  [DISPATCH_TASK]: (payload) => dispatch(payoutPayload.parse(payload).payoutId),
  [APPLY_EVENT_TASK]: (payload) => inbox.retryEvent(eventPayload.parse(payload).eventId),
});
