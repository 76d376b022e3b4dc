import type { JobRequest } from '../../platform/jobs/index.ts';

export const ALLOCATE_TASK = 'gold.allocate';

const keyOf = (orderId: string): string => `${ALLOCATE_TASK}:${orderId}`;

/** Allocates an order now. One that has not started yet is not doubled. */
export const allocationJob = (orderId: string): JobRequest => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: keyOf(orderId),
});

/** The same at a moment of the business clock. */
export const allocationRetry = (orderId: string, dueAt: Date) => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: keyOf(orderId),
  dueAt,
});
