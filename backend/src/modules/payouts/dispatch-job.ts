import type { JobRequest } from '../../platform/jobs/index.ts';

export const DISPATCH_TASK = 'payouts.dispatch';

/** Dispatches a payout, or takes up what is open of it. Not doubled while it waits. */
export const dispatchJob = (payoutId: string): JobRequest => ({
  task: DISPATCH_TASK,
  payload: { payoutId },
  key: `${DISPATCH_TASK}:${payoutId}`,
});
