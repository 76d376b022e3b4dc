import type { StackPorts } from './stack-ports.ts';

/** The addresses and folders from which the environment of a stack's processes is made. */
export interface StackAddresses {
  readonly mode: 'development' | 'test';
  readonly ports: StackPorts;
  /** Connects as the application role. */
  readonly databaseUrl: string;
  /** Connects as the owner of the tables. */
  readonly migrateUrl: string;
  readonly redisUrl: string;
  readonly settingsDir: string;
  readonly objectsDir: string;
  /** The folder in which the sandbox stores its records. */
  readonly sandboxDir: string;
  /**
   * The address that receives the service's traces as OTLP over HTTP. Without it, no traces are
   * made.
   */
  readonly tracesUrl?: string | undefined;
}

export const longRunning = ['sandbox', 'customer', 'admin', 'accounting', 'worker'] as const;
export type LongRunning = (typeof longRunning)[number];
type StackProcess = LongRunning | 'migrate' | 'seed';

export type ProcessEnvironment = Readonly<Record<string, string>>;

/** 32 bytes that this repository publishes, as a key's base64 text. Production refuses it. */
const publishedKey = (name: string): string =>
  Buffer.from(`dev-only-${name}`.padEnd(32, '.').slice(0, 32)).toString('base64');

/** The secrets that parties outside the processes share with them. */
export const publishedSecrets = {
  jwtSecret: 'dev-only-jwt-secret-of-the-local-stack-000001',
  cashfreeClient: 'dev-only-cashfree-client-secret-0000000001',
  sandboxWebhook: 'dev-only-sandbox-gateway-webhook-secret-01',
  razorpayWebhook: 'dev-only-razorpay-webhook-secret-00000000001',
  payoutWebhook: 'dev-only-payout-webhook-secret-0000000001',
  kycWebhook: 'dev-only-kyc-webhook-secret-0000000000001',
} as const;

/** The keys of personal data. */
export const publishedDataKeys = {
  PII_KEYRING: `k1:${publishedKey('personal-data-key-1')}`,
  BLIND_INDEX_KEY: publishedKey('blind-index-key'),
} as const;

const internalPortOf = {
  customer: 'customerInternal',
  admin: 'adminInternal',
  accounting: 'accountingInternal',
  worker: 'workerInternal',
} as const;

export const baseUrl = (port: number): string => `http://127.0.0.1:${port}`;

/** Returns the address that answers 2xx when the process is ready. */
export const readinessUrl = (name: LongRunning, ports: StackPorts): string =>
  name === 'sandbox'
    ? `${baseUrl(ports.sandbox)}/_control/clock`
    : `${baseUrl(ports[internalPortOf[name]])}/readyz`;

/** The collaborators' addresses and keys, the same for the adapters and the sandbox. */
const collaborators = (sandbox: string): ProcessEnvironment => ({
  GOLD_PROVIDER: 'safegold',
  SAFEGOLD_BASE_URL: `${sandbox}/safegold`,
  SAFEGOLD_SPOT_FIELD: 'spot_price',
  SAFEGOLD_TOKEN: 'dev-only-safegold-token-of-the-local-stack',
  // The first one is the default.
  PAYMENT_GATEWAYS: 'sandbox,razorpay,cashfree',
  SANDBOX_GATEWAY_BASE_URL: `${sandbox}/gateway`,
  SANDBOX_GATEWAY_KEY_ID: 'dev-only-sandbox-key-id',
  SANDBOX_GATEWAY_KEY_SECRET: 'dev-only-sandbox-gateway-key-secret-000001',
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: publishedSecrets.sandboxWebhook,
  CASHFREE_BASE_URL: `${sandbox}/cashfree/pg`,
  CASHFREE_CLIENT_ID: 'dev-only-cashfree-client-id',
  CASHFREE_CLIENT_SECRET: publishedSecrets.cashfreeClient,
  // At Cashfree the client secrets sign.
  CASHFREE_WEBHOOK_SECRETS: publishedSecrets.cashfreeClient,
  RAZORPAY_BASE_URL: `${sandbox}/razorpay`,
  RAZORPAY_KEY_ID: 'dev-only-razorpay-key-id',
  RAZORPAY_KEY_SECRET: 'dev-only-razorpay-key-secret-00000000001',
  RAZORPAY_WEBHOOK_SECRETS: publishedSecrets.razorpayWebhook,
  SMS_PROVIDER: 'msg91',
  MSG91_BASE_URL: `${sandbox}/msg91`,
  MSG91_AUTH_KEY: 'dev-only-msg91-auth-key-of-the-local-stack',
  MSG91_OTP_TEMPLATE_ID: 'dev-only-otp-template',
  PAYOUT_PROVIDER: 'razorpayx',
  RAZORPAYX_BASE_URL: `${sandbox}/razorpayx`,
  RAZORPAYX_KEY_ID: 'dev-only-razorpayx-key-id',
  RAZORPAYX_KEY_SECRET: 'dev-only-razorpayx-key-secret-0000000001',
  RAZORPAYX_ACCOUNT_NUMBER: '7878780080316316',
  PAYOUT_WEBHOOK_SECRETS: publishedSecrets.payoutWebhook,
  KYC_WEBHOOK_SECRETS: publishedSecrets.kycWebhook,
  CI_PROVIDER: 'github',
  GITHUB_API_URL: `${sandbox}/github`,
  GITHUB_TOKEN: 'dev-only-github-token-of-the-local-stack-01',
  GITHUB_OWNER: 'digital-gold',
  GITHUB_REPOSITORY: 'digital-gold-service',
});

/** Variables of every process of the service, but not of the sandbox: stores, keys, the clock. */
const service = (addresses: StackAddresses, sandbox: string): ProcessEnvironment => ({
  DATABASE_URL: addresses.databaseUrl,
  DATABASE_POOL_SIZE: '10',
  REDIS_URL: addresses.redisUrl,
  TRUST_PROXY_HOPS: '1',
  INTERNAL_HOSTNAMES: 'localhost,127.0.0.1,[::1]',
  CORS_ALLOWED_ORIGINS: '',
  JWT_SECRET: publishedSecrets.jwtSecret,
  ...publishedDataKeys,
  CREDENTIAL_PEPPER: publishedKey('credential-pepper'),
  PROOF_SIGNING_KEYS: publishedKey('proof-signing-key'),
  SETTINGS_DIR: addresses.settingsDir,
  CLOCK_CONTROL: 'true',
  CLOCK_URL: sandbox,
  OBJECT_STORE: 'filesystem',
  OBJECT_STORE_DIR: addresses.objectsDir,
});

/** The variables that are the same for every process of the stack. */
export const sharedEnvironment = (addresses: StackAddresses): ProcessEnvironment => {
  const sandbox = baseUrl(addresses.ports.sandbox);
  return {
    APP_MODE: addresses.mode,
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    ...service(addresses, sandbox),
    ...collaborators(sandbox),
    CUSTOMER_BASE_URL: baseUrl(addresses.ports.customer),
  };
};

const traces = (name: string, { tracesUrl }: StackAddresses): ProcessEnvironment =>
  tracesUrl === undefined
    ? {}
    : { OTEL_EXPORTER_OTLP_ENDPOINT: tracesUrl, OTEL_SERVICE_NAME: `digital-gold-${name}` };

const webhookSecrets = [
  'CASHFREE_WEBHOOK_SECRETS',
  'PAYOUT_WEBHOOK_SECRETS',
  'SANDBOX_GATEWAY_WEBHOOK_SECRETS',
  'RAZORPAY_WEBHOOK_SECRETS',
  'KYC_WEBHOOK_SECRETS',
];

/** The secrets that a process of the service does not use and does not get. */
const notUsedBy: Readonly<Record<keyof typeof internalPortOf, readonly string[]>> = {
  customer: ['GITHUB_TOKEN', 'PROOF_SIGNING_KEYS'],
  admin: ['MSG91_AUTH_KEY', 'PROOF_SIGNING_KEYS', ...webhookSecrets],
  accounting: [
    'JWT_SECRET',
    'SAFEGOLD_TOKEN',
    'CASHFREE_CLIENT_SECRET',
    'SANDBOX_GATEWAY_KEY_SECRET',
    'RAZORPAY_KEY_SECRET',
    'MSG91_AUTH_KEY',
    'RAZORPAYX_KEY_SECRET',
    'GITHUB_TOKEN',
    'PROOF_SIGNING_KEYS',
    ...webhookSecrets,
  ],
  worker: ['JWT_SECRET', 'MSG91_AUTH_KEY', ...webhookSecrets],
};

const withoutSecretsOfOthers = (
  name: keyof typeof internalPortOf,
  environment: ProcessEnvironment,
): ProcessEnvironment =>
  Object.fromEntries(Object.entries(environment).filter(([key]) => !notUsedBy[name].includes(key)));

/** The shared variables of the sandbox, which gets none of the service's stores and keys. */
const sandboxVariables = new Set(['APP_MODE', 'LOG_LEVEL', 'HOST', 'CUSTOMER_BASE_URL']);

/**
 * Returns the whole environment of a process of the stack. It has only the variables that the
 * process reads, with secrets that are published here and that production refuses.
 */
export const environmentOf = (
  name: StackProcess,
  addresses: StackAddresses,
): ProcessEnvironment => {
  const shared = sharedEnvironment(addresses);
  const { ports } = addresses;
  switch (name) {
    case 'sandbox': {
      const own = Object.entries(shared).filter(([key]) => sandboxVariables.has(key));
      const parties = collaborators(baseUrl(ports.sandbox));
      return {
        ...Object.fromEntries(own),
        ...parties,
        PORT: String(ports.sandbox),
        SANDBOX_SETTLE_MS: '1500',
        SANDBOX_STATE_DIR: addresses.sandboxDir,
      };
    }
    case 'customer':
    case 'admin':
    case 'accounting':
      return {
        ...withoutSecretsOfOthers(name, shared),
        ...traces(name, addresses),
        PORT: String(ports[name]),
        INTERNAL_PORT: String(ports[internalPortOf[name]]),
      };
    case 'worker':
      return {
        ...withoutSecretsOfOthers(name, shared),
        ...traces(name, addresses),
        INTERNAL_PORT: String(ports.workerInternal),
      };
    case 'seed':
      return shared;
    case 'migrate':
      return {
        APP_MODE: addresses.mode,
        LOG_LEVEL: 'info',
        MIGRATE_DATABASE_URL: addresses.migrateUrl,
      };
    default:
      return name satisfies never;
  }
};
