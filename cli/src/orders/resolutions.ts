/** The ways in which a review of an order ends. */
export const resolutions = [
  'ALLOCATE',
  'REFUNDED',
  'KEEP',
  'RECOVER',
  'CONFIRM_SELL',
  'RELEASE_SELL',
] as const;
export type Resolution = (typeof resolutions)[number];
