import type { JobRequest } from '../../platform/jobs/index.ts';

export const ALLOCATE_TASK = 'gold.allocate';

/** Returns the key of an order's allocation, of which one at most waits. */
export const allocationKey = (orderId: string): string => `${ALLOCATE_TASK}:${orderId}`;

/** Makes the job that allocates an order now. A job that has not started yet is not duplicated. */
export const allocationJob = (orderId: string): JobRequest => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: allocationKey(orderId),
});

/**
 * Creates the allocation job of an order for a time of the business clock. It replaces a waiting
 * job of the order.
 */
export const allocationRetry = (orderId: string, dueAt: Date) => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: allocationKey(orderId),
  dueAt,
});
