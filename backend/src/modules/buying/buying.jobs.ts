import { z } from 'zod';
import type { TaskList } from '../../platform/jobs/index.ts';
import { ALLOCATE_TASK } from '../orders/index.ts';
import type { Allocate } from './create-allocate.ts';

const payloadSchema = z.object({ orderId: z.uuid() });

/** What this module does on the queue. */
export const createGoldJobs = (allocate: Allocate): TaskList => ({
  [ALLOCATE_TASK]: (payload) => allocate(payloadSchema.parse(payload).orderId),
});
