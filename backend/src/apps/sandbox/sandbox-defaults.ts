import { defaultBackoffMs } from './core/webhook-outbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';

const silent = (): void => {};

/** A sandbox for tests: known development secrets, quick to settle, silent, forgetful. */
export const sandboxDefaults: SandboxOptions = {
  customerBaseUrl: 'http://127.0.0.1:4000',
  safegoldToken: 'dev-only-safegold-token',
  gatewayKeyId: 'dev-only-gateway-key',
  gatewayKeySecret: 'dev-only-gateway-key-secret',
  gatewayWebhookSecrets: ['dev-only-gateway-webhook-secret'],
  msg91AuthKey: 'dev-only-msg91-auth-key',
  razorpayxKeyId: 'dev-only-razorpayx-key',
  razorpayxKeySecret: 'dev-only-razorpayx-key-secret',
  razorpayxAccountNumber: '7878780080316316',
  payoutWebhookSecrets: ['dev-only-payout-webhook-secret'],
  githubToken: 'dev-only-github-token',
  settleMs: 500,
  stateDir: undefined,
  enforcesKycLimits: false,
  webhookBackoffMs: defaultBackoffMs,
  logger: { info: silent, warn: silent, error: silent },
};
