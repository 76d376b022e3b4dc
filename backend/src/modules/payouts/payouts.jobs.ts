import { z } from 'zod';
import type { JobRequest, TaskList } from '../../platform/jobs/index.ts';

const DISPATCH_TASK = 'payouts.dispatch';

/** Applies one stored event. */
export const applyPayoutEventTask = 'payouts.apply-event';

/** Dispatches a payout, or finds out about its open attempt. Not doubled while it waits. */
export const dispatchJob = (payoutId: string): JobRequest => ({
  task: DISPATCH_TASK,
  payload: { payoutId },
  key: `${DISPATCH_TASK}:${payoutId}`,
});

const payoutPayload = z.object({ payoutId: z.uuid() });
const eventPayload = z.object({ eventId: z.uuid() });

/** Creates the module's job handlers, all of which are safe to run twice. */
export const createPayoutJobs = (work: {
  readonly dispatch: (payoutId: string) => Promise<void>;
  readonly retryEvent: (eventId: string) => Promise<void>;
}): TaskList => ({
  [DISPATCH_TASK]: (payload) => work.dispatch(payoutPayload.parse(payload).payoutId),
  [applyPayoutEventTask]: (payload) => work.retryEvent(eventPayload.parse(payload).eventId),
});
