/** The runbooks whose commands the tests beside this file play, each with its fault. */
export const playedPages = [
  'audit-chain',
  'chargeback',
  'close-a-gate',
  'dead-letter-jobs',
  'failed-migration',
  'jobs-stand-still',
  'manual-review',
  'price-feed-silent',
  'reconciliation',
  'restore-and-keys',
  'rotate-blind-index-key',
  'rotate-pepper',
  'sign-in-abuse',
  'stuck-debit',
  'unread-rows',
  'webhook-backlog',
] as const;
