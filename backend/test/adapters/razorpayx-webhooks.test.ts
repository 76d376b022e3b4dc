import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';

const oldSecret = 'dev-only-payout-webhook-secret-1';
const newSecret = 'dev-only-payout-webhook-secret-2';
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

const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

const deliver = (given: unknown, headers?: Record<string, string | string[] | undefined>) => {
  const body = typeof given === 'string' ? given : JSON.stringify(given);
  return provider.verifyWebhook({
    rawBody: Buffer.from(body),
    headers: headers ?? { 'x-gateway-signature': sign(body, newSecret) },
  });
};

const envelope = (event: string, part: string, entity: unknown) => ({
  entity: 'event',
  account_id: 'acc_1',
  event,
  contains: [part],
  payload: { [part]: { entity } },
  created_at: 1_767_585_600,
});

const payout = {
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

const validation = {
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

const payoutEvent = (event: string, more: object = {}) =>
  envelope(event, 'payout', { ...payout, ...more });
const validationEvent = (event: string, more: object = {}) =>
  envelope(event, 'fund_account.validation', { ...validation, ...more });

describe('a payout event', () => {
  test('is read into our words, by its name, without numbers', () => {
    expect(deliver(payoutEvent('payout.failed'))).toEqual({
      valid: true,
      event: {
        kind: 'payout',
        name: 'payout.failed',
        occurredAt: new Date('2026-01-05T04:00:00.000Z'),
        payout: {
          providerPayoutId: 'pout_1',
          referenceId: payout.reference_id,
          fundAccountId: 'fa_1',
          amountPaise: 123_456n,
          status: 'FAILED',
          providerStatus: 'failed',
          mode: 'IMPS',
          failureReason: 'Account … is closed',
        },
      },
    });
  });

  test.each([
    ['payout.processed', 'PAID'],
    ['payout.failed', 'FAILED'],
    ['payout.rejected', 'FAILED'],
    ['payout.reversed', 'REVERSED'],
  ])('%s means %s', (name, status) => {
    expect(deliver(payoutEvent(name))).toMatchObject({
      event: { kind: 'payout', payout: { status } },
    });
  });

  test.each(['payout.initiated', 'payout.updated', 'transaction.created', 'constructor'])(
    '%s is of no consequence',
    (name) => {
      expect(deliver(payoutEvent(name))).toEqual({ valid: true, event: { kind: 'other', name } });
    },
  );

  test('needs no more than the id', () => {
    const bare = { event: 'payout.processed', payload: { payout: { entity: { id: 'pout_1' } } } };
    expect(deliver(bare)).toEqual({
      valid: true,
      event: {
        kind: 'payout',
        name: 'payout.processed',
        payout: { providerPayoutId: 'pout_1', status: 'PAID', providerStatus: 'processed' },
      },
    });
  });
});

const statusOf = (event: string, more: object) => {
  const told = deliver(validationEvent(event, more));
  return told.valid && told.event.kind === 'validation' ? told.event.validation.status : told;
};

describe('a validation event', () => {
  const completed = 'fund_account.validation.completed';
  const results = validation.validation_results;

  test('is read into our words', () => {
    expect(deliver(validationEvent(completed))).toMatchObject({
      valid: true,
      event: {
        kind: 'validation',
        name: completed,
        validation: {
          validationId: 'fav_1',
          referenceId: 'bank-account-1',
          status: 'VALID',
          providerStatus: 'completed',
          registeredName: 'Asha Rao',
          nameMatchScore: 87,
        },
      },
    });
    expect(JSON.stringify(deliver(validationEvent(completed)))).not.toMatch(/\d{6}/);
  });

  test.each([
    ['active', 'VALID'],
    ['valid', 'VALID'],
    ['invalid', 'INVALID'],
    ['VALID', 'INVALID'],
    [null, 'INVALID'],
  ])('completed with account status %j is %s', (status, expected) => {
    const changed = { validation_results: { ...results, account_status: status } };
    expect(statusOf(completed, changed)).toBe(expected);
  });

  test('is read by its older name too, and is invalid without results', () => {
    const { validation_results: _none, ...rest } = validation;
    const older = { ...rest, results };
    const part = 'fund_account.validation';
    expect(deliver(envelope(completed, part, older))).toMatchObject({
      event: { validation: { status: 'VALID' } },
    });
    expect(deliver(envelope(completed, part, rest))).toMatchObject({
      event: { validation: { status: 'INVALID' } },
    });
  });

  test('failed says nothing of the account', () => {
    expect(statusOf('fund_account.validation.failed', {})).toBe('FAILED');
  });

  test.each([101, -1, 8.5, 'much'])('with the score %s has none', (score) => {
    const changed = { validation_results: { ...results, name_match_score: score } };
    const told = deliver(validationEvent(completed, changed));
    expect(told).toMatchObject({ event: { validation: { status: 'VALID' } } });
    expect(JSON.stringify(told)).not.toContain('nameMatchScore');
  });
});

describe('a signature', () => {
  const body = JSON.stringify(payoutEvent('payout.processed'));

  test.each(['x-gateway-signature', 'x-razorpay-signature'])('may be in %s', (header) => {
    expect(deliver(body, { [header]: sign(body, oldSecret) }).valid).toBe(true);
    expect(deliver(body, { [header]: sign(body, newSecret) }).valid).toBe(true);
    expect(deliver(body, { [header]: sign(body, 'dev-only-another-secret') }).valid).toBe(false);
  });

  test('that is missing, repeated or of other bytes is none', () => {
    expect(deliver(body, {}).valid).toBe(false);
    expect(deliver(body, { 'x-gateway-signature': [sign(body, oldSecret), 'b'] }).valid).toBe(
      false,
    );
    expect(deliver(`${body} `, { 'x-gateway-signature': sign(body, oldSecret) }).valid).toBe(false);
  });

  test('has the event id of its header beside it, where there is one', () => {
    const signature = { 'x-gateway-signature': sign(body, newSecret) };
    const told = deliver(body, { ...signature, 'x-razorpay-event-id': 'event-1' });
    expect(told).toMatchObject({ eventId: 'event-1' });
    expect(deliver(body, signature)).not.toHaveProperty('eventId');
    const odd = deliver(body, { ...signature, 'x-razorpay-event-id': 'a b' });
    expect(odd).not.toHaveProperty('eventId');
  });
});

test.each([
  ['nothing', ''],
  ['no JSON', 'payout.processed'],
  ['no object', '[]'],
  ['no event', { payload: {} }],
  ['no payload', { event: 'payout.processed' }],
  ['no entity', { event: 'payout.processed', payload: { payout: {} } }],
  ['no id', payoutEvent('payout.processed', { id: undefined })],
  ['an id that cannot be stored', payoutEvent('payout.processed', { id: 'a\0' })],
  ['half a paisa', payoutEvent('payout.processed', { amount: 0.5 })],
  ['no validation', envelope('fund_account.validation.completed', 'payout', validation)],
])('a signed body that holds %s is unreadable', (_what, body) => {
  expect(deliver(body)).toEqual({ valid: true, event: { kind: 'unreadable' } });
});
