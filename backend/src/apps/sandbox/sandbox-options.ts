import type { Logger } from '../../platform/observability/logger.ts';
import { defaultBackoffMs } from './core/webhook-outbox.ts';

/** How a sandbox is set up; what is left out is `sandboxDefaults`. */
export interface SandboxOptions {
  /** Address that webhooks go to, below which `/v1/webhooks/...` is. */
  readonly customerBaseUrl: string;
  readonly safegoldToken: string;
  readonly gatewayKeyId: string;
  readonly gatewayKeySecret: string;
  /** The first signs; a list, as the service accepts one. */
  readonly gatewayWebhookSecrets: readonly string[];
  readonly msg91AuthKey: string;
  readonly razorpayxKeyId: string;
  readonly razorpayxKeySecret: string;
  /** The service's own account at the payout provider. */
  readonly razorpayxAccountNumber: string;
  /** The first signs payout webhooks. */
  readonly payoutWebhookSecrets: readonly string[];
  /** The CI system's access token; undefined turns every caller away. */
  readonly githubToken: string | undefined;
  /** After so long what settles by itself is settled, in real time. */
  readonly settleMs: number;
  /** Where the books are kept between processes; undefined forgets them. */
  readonly stateDir: string | undefined;
  /** Whether SafeGold's buy-verify enforces its 30 g and 50 g thresholds. */
  readonly enforcesKycLimits: boolean;
  /** Waits between the attempts to deliver a webhook. */
  readonly webhookBackoffMs: readonly number[];
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

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
