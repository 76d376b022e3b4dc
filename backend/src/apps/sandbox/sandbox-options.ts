import { createSystemClock, type Clock } from '../../platform/clock/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { defaultBackoffMs } from './core/webhook-outbox.ts';

/** The options of a sandbox. `sandboxDefaults` has the defaults. */
export interface SandboxOptions {
  /** The service's address. Webhooks are sent below its `/v1/webhooks/`. */
  readonly customerBaseUrl: string;
  readonly safegoldToken: string;
  readonly gatewayKeyId: string;
  readonly gatewayKeySecret: string;
  /** The first secret signs. It is a list because the service's own variable is a list. */
  readonly gatewayWebhookSecrets: readonly string[];
  readonly cashfreeClientId: string;
  readonly cashfreeClientSecret: string;
  /** The first secret signs. At Cashfree itself, these are client secrets. */
  readonly cashfreeWebhookSecrets: readonly string[];
  readonly razorpayKeyId: string;
  readonly razorpayKeySecret: string;
  /** The first secret signs. */
  readonly razorpayWebhookSecrets: readonly string[];
  readonly msg91AuthKey: string;
  readonly razorpayxKeyId: string;
  readonly razorpayxKeySecret: string;
  /** The service's own account at the payout provider. */
  readonly razorpayxAccountNumber: string;
  /** The first secret signs payout webhooks. */
  readonly payoutWebhookSecrets: readonly string[];
  /** The access key id that KMS accepts. */
  readonly awsKmsAccessKeyId: string;
  readonly vaultToken: string;
  /** The CI system's access token. Undefined refuses every caller. */
  readonly githubToken: string | undefined;
  /** The real time after which debits, payouts, penny-drops and runs end by themselves. */
  readonly settleMs: number;
  /**
   * The real time for which the faults that time out keep a caller waiting before they cut it off.
   */
  readonly hangMs: number;
  /** True to add unrelated rows to every list. Tests of the lists themselves turn it off. */
  readonly addsOddRows: boolean;
  /** The folder that keeps the records between processes. Undefined keeps them in memory only. */
  readonly stateDir: string | undefined;
  /** True if SafeGold's buy-verify enforces its 30 g and 50 g thresholds. */
  readonly enforcesKycLimits: boolean;
  /** The clock that the movable clock shifts. A simulation passes a clock that does not advance. */
  readonly systemClock: Clock;
  /** The waits between the attempts to deliver a webhook. */
  readonly webhookBackoffMs: readonly number[];
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const silent = (): void => {};

/**
 * Defaults for tests. They have known development secrets, a short `settleMs`, no log and no state
 * directory.
 */
export const sandboxDefaults: SandboxOptions = {
  customerBaseUrl: 'http://127.0.0.1:4000',
  safegoldToken: 'dev-only-safegold-token',
  gatewayKeyId: 'dev-only-gateway-key',
  gatewayKeySecret: 'dev-only-gateway-key-secret',
  gatewayWebhookSecrets: ['dev-only-gateway-webhook-secret'],
  cashfreeClientId: 'dev-only-cashfree-client',
  cashfreeClientSecret: 'dev-only-cashfree-client-secret',
  cashfreeWebhookSecrets: ['dev-only-cashfree-client-secret'],
  razorpayKeyId: 'dev-only-razorpay-key',
  razorpayKeySecret: 'dev-only-razorpay-key-secret',
  razorpayWebhookSecrets: ['dev-only-razorpay-webhook-secret'],
  msg91AuthKey: 'dev-only-msg91-auth-key',
  razorpayxKeyId: 'dev-only-razorpayx-key',
  razorpayxKeySecret: 'dev-only-razorpayx-key-secret',
  awsKmsAccessKeyId: 'dev-only-kms-access-key-id',
  vaultToken: 'dev-only-vault-token',
  razorpayxAccountNumber: '7878780080316316',
  payoutWebhookSecrets: ['dev-only-payout-webhook-secret'],
  githubToken: 'dev-only-github-token',
  settleMs: 500,
  hangMs: 30_000,
  addsOddRows: true,
  stateDir: undefined,
  enforcesKycLimits: false,
  systemClock: createSystemClock(),
  webhookBackoffMs: defaultBackoffMs,
  logger: { info: silent, warn: silent, error: silent },
};
