import type { JobRequest } from '../../platform/jobs/index.ts';

export const ALLOCATE_TASK = 'gold.allocate';

/** Returns the key of an order's allocation job. At most one job with a key waits in the queue. */
export const allocationKey = (orderId: string): string => `${ALLOCATE_TASK}:${orderId}`;

/** Creates the job that allocates an order now. It replaces a waiting job of the order. */
export const allocationJob = (orderId: string): JobRequest => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: allocationKey(orderId),
});

/**
 * Creates the job that allocates an order at a time of the business clock. It replaces a waiting job
 * of the order.
 */
export const allocationRetry = (orderId: string, dueAt: Date) => ({
  task: ALLOCATE_TASK,
  payload: { orderId },
  key: allocationKey(orderId),
  dueAt,
});
