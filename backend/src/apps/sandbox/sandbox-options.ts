import { createSystemClock, type Clock } from '../../platform/clock/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { defaultBackoffMs } from './core/webhook-outbox.ts';

/** Sets up a sandbox. An option that is left out is taken from `sandboxDefaults`. */
export interface SandboxOptions {
  /** The service's address. Webhooks are sent below its `/v1/webhooks/`. */
  readonly customerBaseUrl: string;
  readonly safegoldToken: string;
  readonly gatewayKeyId: string;
  readonly gatewayKeySecret: string;
  /** The first one signs. It is a list because the service accepts one. */
  readonly gatewayWebhookSecrets: readonly string[];
  readonly cashfreeClientId: string;
  readonly cashfreeClientSecret: string;
  /** The first one signs, as above. At Cashfree itself these are client secrets. */
  readonly cashfreeWebhookSecrets: readonly string[];
  readonly razorpayKeyId: string;
  readonly razorpayKeySecret: string;
  /** The first one signs. */
  readonly razorpayWebhookSecrets: readonly string[];
  readonly msg91AuthKey: string;
  readonly razorpayxKeyId: string;
  readonly razorpayxKeySecret: string;
  /** The service's own account at the payout provider. */
  readonly razorpayxAccountNumber: string;
  /** The first signs payout webhooks. */
  readonly payoutWebhookSecrets: readonly string[];
  /** The access key id that KMS accepts. */
  readonly awsKmsAccessKeyId: string;
  readonly vaultToken: string;
  /** The CI system's access token. Undefined refuses every caller. */
  readonly githubToken: string | undefined;
  /** Real time after which debits, payouts, penny-drops and runs end by themselves. */
  readonly settleMs: number;
  /** Real time for which the faults that time out keep a caller waiting before they cut it off. */
  readonly hangMs: number;
  /** Adds rows about something else to every list. Tests of the lists themselves turn it off. */
  readonly addsOddRows: boolean;
  /** Keeps the records between processes. Undefined keeps them in memory only. */
  readonly stateDir: string | undefined;
  /** Makes SafeGold's buy-verify enforce its 30 g and 50 g thresholds. */
  readonly enforcesKycLimits: boolean;
  /** The start time of its movable clock. A simulation passes a clock that does not advance. */
  readonly systemClock: Clock;
  /** Waits between the attempts to deliver a webhook. */
  readonly webhookBackoffMs: readonly number[];
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const silent = (): void => {};

/** Suits tests: known development secrets, a short `settleMs`, no log, no state directory. */
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
