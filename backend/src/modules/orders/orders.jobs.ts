import type { JobRequest } from '../../platform/jobs/index.ts';

export const ALLOCATE_TASK = 'gold.allocate';

const keyOf = (orderId: string): string => `${ALLOCATE_TASK}:${orderId}`;

/** Makes the job that allocates an order now. One that has not started yet is not doubled. */
export const allocationJob = (orderId: string): JobRequest => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: keyOf(orderId),
});

/** Makes the same job for a moment of the business clock; it replaces the one that waits. */
export const allocationRetry = (orderId: string, dueAt: Date) => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: keyOf(orderId),
  dueAt,
});
