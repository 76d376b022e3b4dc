import { z } from 'zod';
import type { JobRequest, TaskList } from '../../platform/jobs/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';

const DISPATCH_TASK = 'payouts.dispatch';

/** The name of the job that applies one stored event. */
export const APPLY_EVENT_TASK = 'payouts.apply-event';

/**
 * Returns the job that dispatches a payout, or queries the payout's open attempt. The key prevents a
 * second job from being queued while one is waiting.
 */
export const dispatchJob = (payoutId: string): JobRequest => ({
  task: DISPATCH_TASK,
  payload: { payoutId },
  key: `${DISPATCH_TASK}:${payoutId}`,
});

const payoutPayload = z.object({ payoutId: z.uuid() });
const eventPayload = z.object({ eventId: z.uuid() });

/** Creates the jobs of payouts. Every job may run twice. */
export const createPayoutJobs = (
  inbox: Pick<WebhookInbox<never>, 'retryEvent'>,
  dispatch: (payoutId: string) => Promise<void>,
): TaskList => ({
  [DISPATCH_TASK]: (payload) => dispatch(payoutPayload.parse(payload).payoutId),
  [APPLY_EVENT_TASK]: (payload) => inbox.retryEvent(eventPayload.parse(payload).eventId),
});
