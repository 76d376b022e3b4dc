import { z } from 'zod';
import type { TaskList } from '../../platform/jobs/index.ts';
import { DISPATCH_TASK } from './dispatch-job.ts';
import type { DispatchPayout } from './dispatch-payout.ts';
import { applyPayoutEventTask } from './payout-inbox-handler.ts';

const payoutPayload = z.object({ payoutId: z.uuid() });
const eventPayload = z.object({ eventId: z.uuid() });

/** What this module does on the queue; all of it may run twice. */
export const createPayoutJobs = (deps: {
  readonly dispatch: DispatchPayout;
  readonly retryEvent: (eventId: string) => Promise<void>;
}): TaskList => ({
  [DISPATCH_TASK]: (payload) => deps.dispatch(payoutPayload.parse(payload).payoutId),
  [applyPayoutEventTask]: (payload) => deps.retryEvent(eventPayload.parse(payload).eventId),
});
