import { defineVariables } from '../../platform/config/config.ts';
import {
  appMode,
  flag,
  httpUrl,
  integer,
  list,
  secret,
  text,
} from '../../platform/config/kinds.ts';
import { z } from 'zod';

/** The environment of the sandbox process. */
export const sandboxVariables = defineVariables({
  APP_MODE: { schema: appMode(), doc: 'development or test; production refuses to start' },
  LOG_LEVEL: {
    schema: z.enum(['debug', 'info', 'warn', 'error', 'fatal']).default('info'),
    doc: 'least severe level that is logged',
  },
  PORT: { schema: integer(4010, 0, 65_535), doc: 'port to listen on' },
  SANDBOX_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    doc: 'address to listen on; anything but loopback is for a test cluster only',
  },
  CUSTOMER_BASE_URL: {
    schema: httpUrl().default('http://127.0.0.1:4000'),
    doc: 'where webhooks go',
  },
  SAFEGOLD_TOKEN: { schema: secret(), secret: true, doc: 'token that the gold provider accepts' },
  SANDBOX_GATEWAY_KEY_ID: {
    schema: z.string().min(1),
    doc: 'API key id of the neutral payment gateway',
  },
  SANDBOX_GATEWAY_KEY_SECRET: { schema: secret(), secret: true, doc: 'secret of that API key' },
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(z.string().min(16)).min(1)),
    secret: true,
    doc: 'webhook secrets of that gateway, comma-separated; the first signs',
  },
  CASHFREE_CLIENT_ID: { schema: z.string().min(1), doc: "client id of Cashfree's API" },
  CASHFREE_CLIENT_SECRET: { schema: secret(), secret: true, doc: 'secret of that client id' },
  CASHFREE_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(z.string().min(16)).min(1)),
    secret: true,
    doc: 'webhook secrets of Cashfree, comma-separated; the first signs',
  },
  RAZORPAY_KEY_ID: { schema: z.string().min(1), doc: "Razorpay's API key id" },
  RAZORPAY_KEY_SECRET: { schema: secret(), secret: true, doc: 'secret of that API key' },
  RAZORPAY_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(z.string().min(16)).min(1)),
    secret: true,
    doc: "Razorpay's webhook secrets, comma-separated; the first signs",
  },
  MSG91_AUTH_KEY: { schema: secret(), secret: true, doc: 'auth key that the SMS provider accepts' },
  RAZORPAYX_KEY_ID: { schema: z.string().min(1), doc: 'API key id of the payout provider' },
  RAZORPAYX_KEY_SECRET: { schema: secret(), secret: true, doc: 'secret of that API key' },
  RAZORPAYX_ACCOUNT_NUMBER: {
    schema: z.string().min(1),
    doc: "the service's own account at the payout provider",
  },
  PAYOUT_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(z.string().min(16)).min(1)),
    secret: true,
    doc: 'webhook secrets of the payout provider, comma-separated; the first signs',
  },
  AWS_KMS_ACCESS_KEY_ID: {
    schema: text().default('dev-only-kms-access-key-id'),
    doc: 'access key id that KMS accepts',
  },
  VAULT_TOKEN: {
    schema: secret(8).default('dev-only-vault-token'),
    secret: true,
    doc: 'token that Vault accepts',
  },
  GITHUB_TOKEN: {
    schema: secret().optional(),
    secret: true,
    doc: 'token that the CI system accepts; without one it turns every caller away',
  },
  SANDBOX_SETTLE_MS: {
    schema: integer(2000, 0, 86_400_000),
    doc: 'real time after which debits, payouts, penny-drops and runs end by themselves',
  },
  SANDBOX_STATE_DIR: {
    schema: z.string().min(1).optional(),
    doc: 'directory in which the records outlive the process; absent forgets them',
  },
  SANDBOX_KYC_LIMITS: {
    schema: flag(false),
    doc: 'the gold provider refuses to hold over 30 g and 50 g without its KYC update',
  },
});
