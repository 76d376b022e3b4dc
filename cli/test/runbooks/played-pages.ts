/** The runbooks whose commands the tests beside this file play, each with its fault. */
export const playedPages: readonly string[] = [
  'allocation-late',
  'audit-chain',
  'chargeback',
  'close-a-gate',
  'collaborator-down',
  'database-busy',
  'database-failover',
  'dead-letter-jobs',
  'error-budget',
  'evidence-ending',
  'failed-migration',
  'figures-stale',
  'jobs-stand-still',
  'lost-changes',
  'manual-review',
  'payouts-failed',
  'price-feed-silent',
  'proof-of-gold',
  'reconciliation',
  'redis-down',
  'restore-and-keys',
  'rotate-blind-index-key',
  'rotate-pepper',
  'sign-in-abuse',
  'stuck-debit',
  'undecided-calls',
  'unread-rows',
  'webhook-backlog',
];

/** The others, and why goldctl has no part in their steps. */
export const pagesWithoutCommands: Readonly<Record<string, string>> = {
  'disaster-recovery':
    'its one command is a script that makes a cluster anew, which `make pulumi-test` plays on one',
  'key-service-down':
    'its steps are at the key service, whose loss and return test/keys of the backend plays',
  'rotate-token-secret':
    'its steps are roll-outs of a Secret, and test/keys of the backend plays them on replicas',
};
