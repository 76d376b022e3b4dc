import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

/** A command of `goldctl`, with its line of the help. */
export interface CommandEntry {
  readonly name: string;
  readonly about: string;
  /** Loads the file of the command. A command line loads only the files of its commands. */
  readonly load: () => Promise<(deps: CliDeps) => Command>;
}

/** All commands, in the order of the help. */
export const commandEntries: readonly CommandEntry[] = [
  {
    name: 'check',
    about: 'check that everything the service needs is in place',
    load: async () => (await import('./check.ts')).createCheckCommand,
  },
  {
    name: 'reconcile',
    about: 'compare the books with each other and with the collaborators’ books',
    load: async () => (await import('./reconcile.ts')).createReconcileCommand,
  },
  {
    name: 'proof',
    about: 'publish proofs of gold, and verify them from files',
    load: async () => (await import('./proof.ts')).createProofCommand,
  },
  {
    name: 'order',
    about: 'list and show gold orders, and end their reviews',
    load: async () => (await import('./order.ts')).createOrderCommand,
  },
  {
    name: 'review',
    about: 'show everything that is waiting for a decision',
    load: async () => (await import('./review.ts')).createReviewCommand,
  },
  {
    name: 'payout',
    about: 'show, approve and retry payouts',
    load: async () => (await import('./payout.ts')).createPayoutCommand,
  },
  {
    name: 'approval',
    about: 'show and decide requests that need a second operator',
    load: async () => (await import('./approval.ts')).createApprovalCommand,
  },
  {
    name: 'customer',
    about: 'find, show and block customers; personal data is masked',
    load: async () => (await import('./customer.ts')).createCustomerCommand,
  },
  {
    name: 'kyc',
    about: 'show KYC records, approve and reject them',
    load: async () => (await import('./kyc.ts')).createKycCommand,
  },
  {
    name: 'ticket',
    about: 'show support tickets and change their status',
    load: async () => (await import('./ticket.ts')).createTicketCommand,
  },
  {
    name: 'jobs',
    about: 'show and retry jobs, and discard dead ones',
    load: async () => (await import('./jobs.ts')).createJobsCommand,
  },
  {
    name: 'webhooks',
    about: 'show stored webhook events, and apply those that are pending or unmatched',
    load: async () => (await import('./webhooks.ts')).createWebhooksCommand,
  },
  {
    name: 'readiness',
    about: 'show what must be in place before customers may pay',
    load: async () => (await import('./readiness.ts')).createReadinessCommand,
  },
  {
    name: 'evidence',
    about: 'record and withdraw the evidence that buying needs',
    load: async () => (await import('./evidence.ts')).createEvidenceCommand,
  },
  {
    name: 'debit',
    about: 'show mandate debits without a final outcome; needs no sign-in',
    load: async () => (await import('./look-ups.ts')).createDebitCommand,
  },
  {
    name: 'price',
    about: 'show the price feed; needs no sign-in',
    load: async () => (await import('./look-ups.ts')).createPriceCommand,
  },
  {
    name: 'codes',
    about: 'show where one-time codes were requested from; needs no sign-in',
    load: async () => (await import('./look-ups.ts')).createCodesCommand,
  },
  {
    name: 'gates',
    about: 'show, open and close the gates: selling, payments, accounting',
    load: async () => (await import('./gates.ts')).createGatesCommand,
  },
  {
    name: 'deploy',
    about: 'start deployments and show their runs',
    load: async () => (await import('./deploy.ts')).createDeployCommand,
  },
  {
    name: 'admin',
    about: 'create and change operators, directly in the database; needs no sign-in',
    load: async () => (await import('./accounts.ts')).createAdminCommand,
  },
  {
    name: 'portal-user',
    about: 'create and change accounting staff, directly in the database; needs no sign-in',
    load: async () => (await import('./accounts.ts')).createPortalUserCommand,
  },
  {
    name: 'audit',
    about: 'verify the audit log, directly in the database; needs no sign-in',
    load: async () => (await import('./audit.ts')).createAuditCommand,
  },
  {
    name: 'keys',
    about: 'show which secrets the stored values need, and rotate the keyring; needs no sign-in',
    load: async () => (await import('./look-ups.ts')).createKeysCommand,
  },
  {
    name: 'database',
    about: 'show how the database is set up, and check its rules; needs no sign-in',
    load: async () => (await import('./look-ups.ts')).createDatabaseCommand,
  },
  {
    name: 'migrate',
    about: 'show the state of the migrations, and resolve one that failed; needs no sign-in',
    load: async () => (await import('./migrate.ts')).createMigrateCommand,
  },
  {
    name: 'config',
    about: 'show each variable of the configuration, its value and the source of the value',
    load: async () => (await import('./config.ts')).createConfigCommand,
  },
  {
    name: 'support-bundle',
    about: 'write logs, versions, checks and configuration into one file, without secrets',
    load: async () => (await import('./support-bundle.ts')).createSupportBundleCommand,
  },
  {
    name: 'login',
    about: 'sign in at the admin API; the sign-in is stored until its token expires, 8 hours',
    load: async () => (await import('./session.ts')).createLoginCommand,
  },
  {
    name: 'second-factor',
    about: 'set up the authenticator app of the operator who signed in',
    load: async () => (await import('./session.ts')).createSecondFactorCommand,
  },
  {
    name: 'logout',
    about: 'delete the stored sign-in',
    load: async () => (await import('./session.ts')).createLogoutCommand,
  },
  {
    name: 'whoami',
    about: 'show who is signed in, and check that the API still accepts the sign-in',
    load: async () => (await import('./session.ts')).createWhoamiCommand,
  },
  {
    name: 'context',
    about: 'show the contexts, and save the one that commands use by default',
    load: async () => (await import('./context.ts')).createContextCommand,
  },
  {
    name: 'help',
    about: 'show the help of a command, or a topic such as "checks"',
    load: async () => (await import('./help.ts')).createHelpCommand,
  },
  {
    name: 'completion',
    about: 'print the completion script for a shell',
    load: async () => (await import('./completion.ts')).createCompletionCommand,
  },
];
