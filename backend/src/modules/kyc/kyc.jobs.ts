import { z } from 'zod';
import type { TaskList } from '../../platform/jobs/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';

/** The name of the job that applies one stored event. */
export const APPLY_EVENT_TASK = 'kyc.apply-event';

const payloadSchema = z.object({ eventId: z.uuid() });

/** Creates the jobs of KYC. Every job may run twice. */
export const createKycJobs = (inbox: Pick<WebhookInbox<object>, 'retryEvent'>): TaskList => ({
  [APPLY_EVENT_TASK]: (payload) => inbox.retryEvent(payloadSchema.parse(payload).eventId),
});
