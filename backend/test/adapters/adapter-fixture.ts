import { createManualClock, type ManualClock } from '../../src/platform/clock/manual-clock.ts';
import type { Outcome } from '../../src/platform/outcome/outcome.ts';
import type { AdapterDeps } from '../../src/adapters/adapter-deps.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { startSandbox, type Sandbox } from '../../src/apps/sandbox/start-sandbox.ts';
import { hangsForMs } from '../support/open-test-system.ts';

/** A sandbox of an adapter test's own, with the environment and dependencies of its adapter. */
export interface AdapterFixture {
  readonly sandbox: Sandbox;
  readonly deps: AdapterDeps;
  readonly clock: ManualClock;
  /** The environment of a service that talks to this sandbox, by the development secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Calls the sandbox's own controls and returns the parsed answer. */
  control(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown>;
  /** The next call of the operation goes wrong, or so many. */
  fault(operation: string, fault: string, more?: object): Promise<void>;
  /** The calls that the sandbox received for the operation, oldest first. */
  calls(operation: string): Promise<readonly JournalEntry[]>;
}

interface JournalEntry {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly idempotencyKey?: string;
}

/** For `delayMs` of a fault: longer than an adapter of a test waits. */
export const forEver = 60_000;

const silent = (): void => {};

/** Starts a sandbox for the tests of an adapter. `collaborator` is its name in the controls. */
export const startAdapterFixture = async (
  collaborator: string,
  options: Parameters<typeof startSandbox>[0] = {},
): Promise<AdapterFixture> => {
  const sandbox = await startSandbox({ hangMs: hangsForMs, ...options });
  const clock = createManualClock(new Date());
  const control: AdapterFixture['control'] = async (method, path, body) => {
    const response = await fetch(`${sandbox.url}/_control${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.json();
  };
  return {
    sandbox,
    clock,
    deps: { clock, logger: { debug: silent, warn: silent } },
    env: {
      APP_MODE: 'test',
      SAFEGOLD_BASE_URL: `${sandbox.url}/safegold`,
      SAFEGOLD_TOKEN: sandboxDefaults.safegoldToken,
      SAFEGOLD_TIMEOUT_MS: '10000',
      SAFEGOLD_SPOT_FIELD: 'spot_price',
      PAYMENT_GATEWAYS: 'sandbox,razorpay,cashfree',
      SANDBOX_GATEWAY_BASE_URL: `${sandbox.url}/gateway`,
      SANDBOX_GATEWAY_KEY_ID: sandboxDefaults.gatewayKeyId,
      SANDBOX_GATEWAY_KEY_SECRET: sandboxDefaults.gatewayKeySecret,
      SANDBOX_GATEWAY_WEBHOOK_SECRETS: sandboxDefaults.gatewayWebhookSecrets.join(','),
      SANDBOX_GATEWAY_TIMEOUT_MS: '10000',
      CASHFREE_BASE_URL: `${sandbox.url}/cashfree/pg`,
      CASHFREE_CLIENT_ID: sandboxDefaults.cashfreeClientId,
      CASHFREE_CLIENT_SECRET: sandboxDefaults.cashfreeClientSecret,
      CASHFREE_WEBHOOK_SECRETS: sandboxDefaults.cashfreeWebhookSecrets.join(','),
      CASHFREE_TIMEOUT_MS: '10000',
      RAZORPAY_BASE_URL: `${sandbox.url}/razorpay`,
      RAZORPAY_KEY_ID: sandboxDefaults.razorpayKeyId,
      RAZORPAY_KEY_SECRET: sandboxDefaults.razorpayKeySecret,
      RAZORPAY_WEBHOOK_SECRETS: sandboxDefaults.razorpayWebhookSecrets.join(','),
      RAZORPAY_TIMEOUT_MS: '10000',
      RAZORPAYX_BASE_URL: `${sandbox.url}/razorpayx`,
      RAZORPAYX_KEY_ID: sandboxDefaults.razorpayxKeyId,
      RAZORPAYX_KEY_SECRET: sandboxDefaults.razorpayxKeySecret,
      RAZORPAYX_ACCOUNT_NUMBER: sandboxDefaults.razorpayxAccountNumber,
      RAZORPAYX_TIMEOUT_MS: '10000',
      PAYOUT_WEBHOOK_SECRETS: sandboxDefaults.payoutWebhookSecrets.join(','),
      MSG91_BASE_URL: `${sandbox.url}/msg91`,
      MSG91_AUTH_KEY: sandboxDefaults.msg91AuthKey,
      MSG91_OTP_TEMPLATE_ID: 'template-1',
      MSG91_TIMEOUT_MS: '10000',
      GITHUB_API_URL: `${sandbox.url}/github`,
      GITHUB_TOKEN: String(sandboxDefaults.githubToken),
      GITHUB_OWNER: 'digital-gold',
      GITHUB_REPOSITORY: 'service,website=site',
    },
    control,
    async fault(operation, fault, more = {}) {
      await control('POST', '/faults', { collaborator, operation, fault, times: 1, ...more });
    },
    async calls(operation) {
      const query = new URLSearchParams({ collaborator, operation }).toString();
      const journal = await control('GET', `/journal?${query}`);
      // The journal's form is the sandbox's own, checked by its own tests.
      return (journal as { entries: JournalEntry[] }).entries;
    },
  };
};

/** Returns the value of an outcome. @throws Error unless it is done */
export const valueOf = <T>(outcome: Outcome<T>): T => {
  if (outcome.kind === 'done') return outcome.value;
  throw new Error(`not done: ${JSON.stringify(outcome)}`);
};
