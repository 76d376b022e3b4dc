import { createHmac } from 'node:crypto';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import type { VerifiedPayoutWebhook } from '../../src/adapters/payout-provider/port.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';

/** The secret that goes, and the one that comes. */
export const oldSecret = 'dev-only-payout-webhook-secret-1';
export const newSecret = 'dev-only-payout-webhook-secret-2';
const silent = (): void => {};

const provider = createPayoutProvider(
  {
    APP_MODE: 'test',
    RAZORPAYX_BASE_URL: 'http://127.0.0.1:1',
    RAZORPAYX_KEY_ID: 'key',
    RAZORPAYX_KEY_SECRET: 'dev-only-razorpayx-key-secret',
    RAZORPAYX_ACCOUNT_NUMBER: '7878780080316316',
    PAYOUT_WEBHOOK_SECRETS: `${newSecret},${oldSecret}`,
  },
  { clock: createManualClock(), logger: { debug: silent, warn: silent } },
);

/** Hex HMAC of a body. */
export const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

/** Passes a webhook to the adapter, signed with the new secret unless headers are given. */
export const deliver = (
  given: unknown,
  headers?: Record<string, string | string[] | undefined>,
): VerifiedPayoutWebhook => {
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  return provider.verifyWebhook({
    rawBody: Buffer.from(body),
    headers: headers ?? { 'x-gateway-signature': sign(body, newSecret) },
  });
};

/** An event as the provider wraps it. */
export const envelope = (event: string, part: string, entity: unknown) => ({
  entity: 'event',
  account_id: 'acc_1',
  event,
  contains: [part],
  payload: { [part]: { entity } },
  created_at: 1_767_585_600,
});

export const payout = {
  id: 'pout_1',
  entity: 'payout',
  fund_account_id: 'fa_1',
  amount: 123_456,
  currency: 'INR',
  status: 'processing',
  utr: null,
  mode: 'IMPS',
  reference_id: '00000000000000000000000000000001-1',
  status_details: { description: 'Account 123456789012 is closed', source: 'x', reason: 'y' },
};

export const validation = {
  id: 'fav_1',
  entity: 'fund_account.validation',
  status: 'completed',
  reference_id: 'bank-account-1',
  validation_results: {
    account_status: 'active',
    registered_name: 'Asha Rao',
    details: 'The beneficiary account 1234567890 is valid.',
    name_match_score: 87,
  },
  fund_account: { bank_account: { account_number: '123456789012' } },
};

export const payoutEvent = (event: string, more: object = {}) =>
  envelope(event, 'payout', { ...payout, ...more });
export const validationEvent = (event: string, more: object = {}) =>
  envelope(event, 'fund_account.validation', { ...validation, ...more });
