import { z } from 'zod';
import type { TaskList } from '../../platform/jobs/index.ts';
import { applyEventTask } from './payment-inbox-handler.ts';

const payloadSchema = z.object({ eventId: z.uuid() });

/** The module's jobs; all of them may run twice. */
export const createPaymentJobs = (deps: {
  retryEvent: (eventId: string) => Promise<void>;
}): TaskList => ({
  [applyEventTask]: async (payload) => deps.retryEvent(payloadSchema.parse(payload).eventId),
});
