/**
 * The runbooks whose commands the tests in this folder run, after they cause the problem that the
 * runbook is about.
 */
export const testedRunbooks: readonly string[] = [
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

/** The runbooks without a command line of goldctl, and where their steps are tested. */
export const runbooksWithoutCommands: Readonly<Record<string, string>> = {
  'disaster-recovery': 'its script recover.sh runs goldctl itself, and `make pulumi-test` tests it',
  'key-service-down':
    'its steps are at the key service, and backend/test/keys tests its loss and return',
  'rotate-token-secret':
    'its steps are roll-outs of a Secret, and backend/test/keys tests them on replicas',
};
