/** The states that an order of any type can be in. */
export const orderStatuses = [
  'PENDING',
  'PAID',
  'RETRY_PENDING',
  'ALLOCATED',
  'MANUAL_REVIEW',
  'FAILED',
  'VERIFIED',
  'CONFIRMED',
  'COMPLETED',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];
