import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';

// Only this gateway's own form. The contract of all is in payment-gateway-contract.test.ts.

const secret = 'dev-only-gateway-webhook-secret';
const silent = (): void => {};
const gateways = createPaymentGateways(
  {
    APP_MODE: 'test',
    PAYMENT_GATEWAYS: 'sandbox',
    SANDBOX_GATEWAY_BASE_URL: 'http://127.0.0.1:1',
    SANDBOX_GATEWAY_KEY_ID: 'key',
    SANDBOX_GATEWAY_KEY_SECRET: 'dev-only-gateway-key-secret',
    SANDBOX_GATEWAY_WEBHOOK_SECRETS: secret,
  },
  { clock: createManualClock(new Date()), logger: { debug: silent, warn: silent } },
);

const event = {
  event: 'payment.captured',
  created_at: '2026-01-05T04:00:00.000Z',
  data: {
    gateway_order_id: 'sbx_order_1',
    gateway_payment_id: 'sbx_pay_1',
    amount_paise: 100_050,
    currency: 'INR',
    method: 'upi',
    status: 'captured',
  },
};

const deliver = (body: object, headers: object = {}) => {
  const rawBody = Buffer.from(JSON.stringify(body));
  const signature = createHmac('sha256', secret).update(rawBody).digest('hex');
  return gateways.get('sandbox')?.verifyWebhook({
    rawBody,
    headers: { 'x-gateway-signature': signature, 'x-gateway-event-id': 'event-1', ...headers },
  });
};

afterAll(() => Promise.all([...gateways.values()].map((gateway) => gateway.close())));

describe('a webhook', () => {
  test('is read into our words', () => {
    expect(deliver(event)).toEqual({
      valid: true,
      eventId: 'event-1',
      event: {
        kind: 'captured',
        name: 'payment.captured',
        gatewayOrderId: 'sbx_order_1',
        gatewayPaymentId: 'sbx_pay_1',
        amountPaise: 100_050n,
        currency: 'INR',
        method: 'upi',
        occurredAt: new Date('2026-01-05T04:00:00.000Z'),
      },
    });
  });

  test.each([
    ['order.paid', 'captured'],
    ['payment.failed', 'failed'],
    ['payment.authorized', 'other'],
    ['constructor', 'other'],
  ])('%s is %s', (name, kind) => {
    expect(deliver({ ...event, event: name })).toMatchObject({ valid: true, event: { kind } });
  });

  test.each([
    ['no amount', { ...event, data: { ...event.data, amount_paise: undefined } }],
    ['half a paisa', { ...event, data: { ...event.data, amount_paise: 0.5 } }],
    ['an id that cannot be stored', { ...event, data: { ...event.data, gateway_order_id: 'a\0' } }],
    ['an endless id', { ...event, data: { ...event.data, gateway_payment_id: 'a'.repeat(200) } }],
    ['no time', { ...event, created_at: 'yesterday' }],
  ])('that is signed but holds %s is valid and unreadable', (_what, body) => {
    expect(deliver(body)).toMatchObject({ valid: true, event: { kind: 'unreadable' } });
  });

  test('may come without an event id, and then has none', () => {
    const bare = deliver(event, { 'x-gateway-event-id': undefined });
    expect(bare).toMatchObject({ valid: true });
    expect(bare).not.toHaveProperty('eventId');
    expect(deliver(event, { 'x-gateway-event-id': 'a b' })).not.toHaveProperty('eventId');
  });
});
