import type { CheckCategory } from './check.types.ts';

interface CheckDefinition {
  readonly category: CheckCategory;
  readonly title: string;
  /** What to do when it does not hold. */
  readonly hint: string;
}

const evidence = 'Bring the evidence forward at PUT /v1/readiness/evidence of the admin API.';
const outsideParty = 'Look at its address and keys in the configuration, then at the party itself.';

/** Every check there is, by the id under which docs/checks.md explains it. */
export const checkTable = {
  'context-found': {
    category: 'configuration',
    title: 'the stack or the release is there',
    hint: '"make up" starts a local stack; --context and --namespace name a release.',
  },
  'operator-signed-in': {
    category: 'configuration',
    title: 'an operator is signed in',
    hint: 'Sign in with "goldctl login --email <email>", or set GOLDCTL_TOKEN.',
  },
  'switches-readable': {
    category: 'configuration',
    title: 'the switches can be read',
    hint: '"goldctl gates show" shows them; "goldctl gates open" and "close" set them.',
  },
  'api-answers': {
    category: 'processes',
    title: 'the API answers',
    hint: 'Look whether the process runs and at its log.',
  },
  'process-ready': {
    category: 'processes',
    title: 'the process is ready',
    hint: 'Its log says what it waits for.',
  },
  'database-answers': {
    category: 'stores',
    title: 'the database answers',
    hint: 'Look at the database, at DATABASE_URL, and at the way between.',
  },
  'cache-answers': {
    category: 'stores',
    title: 'the cache answers',
    hint: 'Look at Redis and at REDIS_URL. Figures stay right without it; the feed is silent.',
  },
  'database-migrations': {
    category: 'migrations',
    title: 'the database has the migrations of this build',
    hint: 'Run the migrations; in a release, look at the log of the migration job.',
  },
  'gold-provider': {
    category: 'collaborators',
    title: 'the gold provider answers',
    hint: outsideParty,
  },
  'payment-gateway': {
    category: 'collaborators',
    title: 'a payment gateway is usable',
    hint: outsideParty,
  },
  'payout-provider': {
    category: 'collaborators',
    title: 'the payout provider answers',
    hint: outsideParty,
  },
  'price-feed': {
    category: 'collaborators',
    title: 'the price feed ticks',
    hint: 'Look at the log of the worker; it also stops while the gold provider is silent.',
  },
  'merchant-tax-registration': {
    category: 'business',
    title: 'the merchant’s tax registration is on file',
    hint: evidence,
  },
  'provider-disclosure': {
    category: 'business',
    title: 'the gold provider’s disclosure is on file',
    hint: evidence,
  },
  'legal-entity': {
    category: 'business',
    title: 'the legal entity is on file',
    hint: evidence,
  },
  'legal-policies': {
    category: 'business',
    title: 'the policies that customers accept are on file',
    hint: evidence,
  },
  'first-admin': {
    category: 'business',
    title: 'there is an active super admin',
    hint: 'Make one with "goldctl admin create --role SUPER_ADMIN".',
  },
  'production-secrets': {
    category: 'business',
    title: 'no published secret is in use',
    hint: 'Replace the secrets that this repository publishes.',
  },
  'readiness-item': {
    category: 'business',
    title: 'another item of the readiness report holds',
    hint: 'GET /v1/readiness of the admin API tells more.',
  },
  'deployment-available': {
    category: 'deployments',
    title: 'the deployment is available',
    hint: '"kubectl rollout status" and "kubectl describe" of the deployment tell more.',
  },
  'pods-ready': {
    category: 'pods',
    title: 'the pods are ready',
    hint: '"kubectl describe" and "kubectl logs" of the pod tell more.',
  },
  'config-map-exists': {
    category: 'config-maps',
    title: 'the config map exists',
    hint: 'Make it, or correct its name in the values of the chart.',
  },
  'secret-exists': {
    category: 'secrets',
    title: 'the secret exists',
    hint: 'Make it, or correct its name in the values of the chart.',
  },
} as const satisfies Record<string, CheckDefinition>;

export type CheckId = keyof typeof checkTable;

/** Whether there is a check of that id. */
export const isCheckId = (id: string): id is CheckId => Object.hasOwn(checkTable, id);

export const checkIds: readonly CheckId[] = Object.keys(checkTable).filter(isCheckId);

/** What the table says of a check. */
export const definitionOf = (id: CheckId): CheckDefinition => checkTable[id];
