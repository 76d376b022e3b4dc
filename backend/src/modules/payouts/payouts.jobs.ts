import type { JobRequest } from '../../platform/jobs/index.ts';

export const DISPATCH_TASK = 'payouts.dispatch';

/** Applies one stored event. */
export const APPLY_EVENT_TASK = 'payouts.apply-event';

/** Dispatches a payout, or finds out about its open attempt. Not doubled while it waits. */
export const dispatchJob = (payoutId: string): JobRequest => ({
  task: DISPATCH_TASK,
  payload: { payoutId },
  key: `${DISPATCH_TASK}:${payoutId}`,
});
