import type { Process } from '../processes.ts';

/**
 * The backend's environment variables that this program must know by name. The lists of secrets
 * follow backend/docs/configuration.md. A test compares them.
 */

/** Secrets without which a process of the chart does not start. */
export const requiredSecrets = [
  'DATABASE_URL',
  'REDIS_URL',
  'BLIND_INDEX_KEY',
  'CREDENTIAL_PEPPER',
  'JWT_SECRET',
  'SAFEGOLD_TOKEN',
  'RAZORPAYX_KEY_SECRET',
  'PAYOUT_WEBHOOK_SECRETS',
  'MSG91_AUTH_KEY',
] as const;

/** The keys of personal data. They are needed unless a key service holds the keys. */
export const keyringSecret = 'PII_KEYRING';

/** The secret that only the migration job has, since no other process may own the schema. */
export const migrationSecret = 'MIGRATE_DATABASE_URL';

/**
 * Passwords, which belong to the parts of a database's address and may only be in an existing
 * Secret.
 */
export const passwordsOfParts = ['DATABASE_PASSWORD', 'MIGRATE_DATABASE_PASSWORD'] as const;

/** The parts that an existing Secret may hold in place of a whole address. */
export const partsOfAddresses: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ['DATABASE_HOST', 'DATABASE_NAME', 'DATABASE_USER', 'DATABASE_PASSWORD'],
  [migrationSecret]: ['MIGRATE_DATABASE_USER', 'MIGRATE_DATABASE_PASSWORD'],
};

/** Secrets that are needed only if the configuration names their collaborator. */
export const optionalSecrets = [
  keyringSecret,
  'AWS_KMS_SECRET_ACCESS_KEY',
  'VAULT_TOKEN',
  'CASHFREE_CLIENT_SECRET',
  'CASHFREE_WEBHOOK_SECRETS',
  'DATABASE_READ_URL',
  'GITHUB_TOKEN',
  'JOBS_DATABASE_URL',
  'KYC_WEBHOOK_SECRETS',
  'PROOF_SIGNING_KEYS',
  'RAZORPAY_KEY_SECRET',
  'RAZORPAY_WEBHOOK_SECRETS',
  'REDIS_SENTINEL_PASSWORD',
  'SANDBOX_GATEWAY_KEY_SECRET',
  'SANDBOX_GATEWAY_WEBHOOK_SECRETS',
  'S3_SECRET_ACCESS_KEY',
] as const;

const ofEveryProcess = [
  'DATABASE_URL',
  'REDIS_URL',
  'PII_KEYRING',
  'BLIND_INDEX_KEY',
  'CREDENTIAL_PEPPER',
  'AWS_KMS_SECRET_ACCESS_KEY',
  'REDIS_SENTINEL_PASSWORD',
  'VAULT_TOKEN',
] as const;
const ofMoney = [
  'SAFEGOLD_TOKEN',
  'RAZORPAYX_KEY_SECRET',
  'CASHFREE_CLIENT_SECRET',
  'RAZORPAY_KEY_SECRET',
  'SANDBOX_GATEWAY_KEY_SECRET',
] as const;
const ofWebhooks = [
  'PAYOUT_WEBHOOK_SECRETS',
  'CASHFREE_WEBHOOK_SECRETS',
  'RAZORPAY_WEBHOOK_SECRETS',
  'SANDBOX_GATEWAY_WEBHOOK_SECRETS',
] as const;

/** The secrets that each process reads. It gets no others. */
export const processSecrets: Readonly<Record<Process, readonly string[]>> = {
  customer: [
    ...ofEveryProcess,
    'JWT_SECRET',
    ...ofMoney,
    ...ofWebhooks,
    'DATABASE_READ_URL',
    'KYC_WEBHOOK_SECRETS',
    'MSG91_AUTH_KEY',
    'S3_SECRET_ACCESS_KEY',
  ],
  admin: [
    ...ofEveryProcess,
    'JWT_SECRET',
    ...ofMoney,
    'DATABASE_READ_URL',
    'GITHUB_TOKEN',
    'S3_SECRET_ACCESS_KEY',
  ],
  accounting: [...ofEveryProcess, 'DATABASE_READ_URL'],
  worker: [
    ...ofEveryProcess,
    ...ofMoney,
    'GITHUB_TOKEN',
    'JOBS_DATABASE_URL',
    'PROOF_SIGNING_KEYS',
    'S3_SECRET_ACCESS_KEY',
  ],
};

/** Every name that belongs in `secrets` and never in `environment`. */
export const secretNames: readonly string[] = [
  ...requiredSecrets,
  ...optionalSecrets,
  migrationSecret,
];

/** The switches, which live in the settings ConfigMap and never in the environment. */
export const switchNames = [
  'DIGITAL_GOLD_PAYMENT_ENABLED',
  'DIGITAL_SELL_ENABLED',
  'ACCOUNTING_PORTAL_MODE',
  'ACCOUNTING_AUTO_POSTING_ENABLED',
] as const;

/** Variables that the chart or this program sets itself. */
export const ownedNames: readonly string[] = [
  'APP_MODE',
  'HOST',
  'PORT',
  'INTERNAL_PORT',
  'SETTINGS_DIR',
  'OBJECT_STORE',
  'OBJECT_STORE_DIR',
];

/**
 * Every secret that the repository publishes contains one of these marks, in clear or in base64.
 */
const publishedMarks = ['dev-only-', Buffer.from('dev-only-').toString('base64')];

/** Returns true for a text with a secret that the repository publishes for development. */
export const isPublishedSecret = (text: string): boolean =>
  publishedMarks.some((mark) => text.includes(mark));
