import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import type { FreshDatabase } from './fresh-database.ts';

interface Places {
  readonly addresses: Pick<FreshDatabase, 'databaseUrl' | 'redisUrl'>;
  readonly sandboxUrl: string;
  readonly objectsDir: string;
  readonly settingsDir: string;
}

/** Creates the environment of a process whose stores and collaborators are at these places. */
export const createTestEnvironment = ({
  addresses,
  sandboxUrl,
  objectsDir,
  settingsDir,
}: Places) => ({
  APP_MODE: 'test',
  DATABASE_URL: addresses.databaseUrl,
  REDIS_URL: addresses.redisUrl,
  PII_KEYRING: `k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`,
  BLIND_INDEX_KEY: 'dev-only-blind-index-key-of-32-chars',
  CREDENTIAL_PEPPER: 'dev-only-credential-pepper-of-32-chars',
  JWT_SECRET: 'dev-only-jwt-secret-of-32-characters',
  SETTINGS_DIR: settingsDir,
  OTP_SENDS_PER_ADDRESS_HOUR: '10000',
  SIGN_IN_REFUSALS_PER_ADDRESS_HOUR: '10000',
  MSG91_BASE_URL: `${sandboxUrl}/msg91`,
  MSG91_AUTH_KEY: sandboxDefaults.msg91AuthKey,
  MSG91_OTP_TEMPLATE_ID: 'template',
  MSG91_TIMEOUT_MS: '10000',
  SAFEGOLD_BASE_URL: `${sandboxUrl}/safegold`,
  SAFEGOLD_TOKEN: sandboxDefaults.safegoldToken,
  SAFEGOLD_TIMEOUT_MS: '10000',
  SAFEGOLD_SPOT_FIELD: 'spot_price',
  PAYMENT_GATEWAYS: 'sandbox',
  SANDBOX_GATEWAY_BASE_URL: `${sandboxUrl}/gateway`,
  SANDBOX_GATEWAY_KEY_ID: sandboxDefaults.gatewayKeyId,
  SANDBOX_GATEWAY_KEY_SECRET: sandboxDefaults.gatewayKeySecret,
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: sandboxDefaults.gatewayWebhookSecrets.join(','),
  SANDBOX_GATEWAY_TIMEOUT_MS: '10000',
  RAZORPAY_BASE_URL: `${sandboxUrl}/razorpay`,
  RAZORPAY_KEY_ID: sandboxDefaults.razorpayKeyId,
  RAZORPAY_KEY_SECRET: sandboxDefaults.razorpayKeySecret,
  RAZORPAY_WEBHOOK_SECRETS: sandboxDefaults.razorpayWebhookSecrets.join(','),
  RAZORPAY_TIMEOUT_MS: '10000',
  CASHFREE_BASE_URL: `${sandboxUrl}/cashfree/pg`,
  CASHFREE_CLIENT_ID: sandboxDefaults.cashfreeClientId,
  CASHFREE_CLIENT_SECRET: sandboxDefaults.cashfreeClientSecret,
  CASHFREE_WEBHOOK_SECRETS: sandboxDefaults.cashfreeWebhookSecrets.join(','),
  CASHFREE_TIMEOUT_MS: '10000',
  // The sandbox's clock runs while a test's clock does not, so an order must outlive the
  // difference.
  CASHFREE_MIN_EXPIRY_SECONDS: '7200',
  RAZORPAYX_BASE_URL: `${sandboxUrl}/razorpayx`,
  RAZORPAYX_KEY_ID: sandboxDefaults.razorpayxKeyId,
  RAZORPAYX_KEY_SECRET: sandboxDefaults.razorpayxKeySecret,
  RAZORPAYX_ACCOUNT_NUMBER: sandboxDefaults.razorpayxAccountNumber,
  RAZORPAYX_TIMEOUT_MS: '10000',
  PAYOUT_WEBHOOK_SECRETS: sandboxDefaults.payoutWebhookSecrets.join(','),
  GITHUB_API_URL: `${sandboxUrl}/github`,
  GITHUB_TOKEN: String(sandboxDefaults.githubToken),
  GITHUB_OWNER: 'digital-gold',
  GITHUB_REPOSITORY: 'service',
  OBJECT_STORE: 'filesystem',
  OBJECT_STORE_DIR: objectsDir,
});

export type TestEnvironment = Readonly<ReturnType<typeof createTestEnvironment>>;
