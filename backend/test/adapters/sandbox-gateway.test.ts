import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import type {
  CreateGatewayOrder,
  GatewayOrder,
  PaymentGateway,
} from '../../src/adapters/payment-gateway/port.ts';
import { parseRupees } from '../../src/money/index.ts';
import { eventually } from '#test/support/eventually.ts';
import { startAdapterKit, valueOf, type AdapterKit } from './adapter-kit.ts';

const oldSecret = 'dev-only-gateway-webhook-secret';
const newSecret = 'dev-only-gateway-webhook-secret-2';

let kit: AdapterKit;
let gateway: PaymentGateway & Closable;
let receipts = 0;

const newOrder = (): CreateGatewayOrder => {
  receipts += 1;
  return {
    receipt: `receipt-${receipts}`,
    amountPaise: parseRupees('1000.50'),
    currency: 'INR',
    expiresAt: new Date(kit.clock.now().getTime() + 480_000),
    customer: { id: 'customer-1', phone: '+919876543210' },
  };
};

const create = async (): Promise<GatewayOrder> => valueOf(await gateway.createOrder(newOrder()));

interface Played {
  readonly gateway_payment_id: string;
  readonly signature: string;
}

const pay = async (order: GatewayOrder, play: object): Promise<Played> => {
  const path = `/payments/${order.gatewayOrderId}`;
  const played = await kit.control('POST', path, { deliver: 'none', ...play });
  // The sandbox's own form, checked by its own tests.
  return played as Played;
};

const open = (env = kit.env): PaymentGateway & Closable => {
  const opened = createPaymentGateways(env, kit.deps).get('sandbox');
  if (opened === undefined) throw new Error('the environment names no sandbox gateway');
  return opened;
};

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

const deliver = (body: string | object, secret = oldSecret, headers: object = {}) => {
  const rawBody = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const signature = createHmac('sha256', secret).update(rawBody).digest('hex');
  return gateway.verifyWebhook({
    rawBody,
    headers: { 'x-gateway-signature': signature, 'x-gateway-event-id': 'event-1', ...headers },
  });
};

beforeAll(async () => {
  kit = await startAdapterKit('sandbox-gateway');
});
afterAll(() => kit.sandbox.stop());
beforeEach(async () => {
  await kit.control('DELETE', '/faults');
  gateway = open();
});
afterEach(() => gateway.close());

describe('an order', () => {
  test('echoes what was asked, is found again, and is the same for the same receipt', async () => {
    const asked = newOrder();
    const order = valueOf(await gateway.createOrder(asked));
    expect(order).toEqual({
      gatewayOrderId: expect.any(String),
      receipt: asked.receipt,
      amountPaise: 100_050n,
      currency: 'INR',
      status: 'OPEN',
    });
    expect(valueOf(await gateway.createOrder(asked))).toEqual(order);
    expect(valueOf(await gateway.findOrderByReceipt(asked.receipt))).toEqual(order);
    expect(valueOf(await gateway.getOrder(order.gatewayOrderId))).toEqual(order);
  });

  test('that certainly does not exist is told from one that nobody can tell about', async () => {
    expect(await gateway.findOrderByReceipt('no-such')).toEqual({ kind: 'done', value: undefined });
    expect(await gateway.getOrder('no-such')).toMatchObject({ code: 'GATEWAY_NOT_FOUND' });
    await kit.fault('get-order', 'error', { times: 3 });
    expect(await gateway.findOrderByReceipt('no-such')).toMatchObject({ kind: 'unknown' });
  });

  test('may echo another amount, which is for the caller to see', async () => {
    await kit.fault('create-order', 'wrong_amount');
    expect((await create()).amountPaise).toBe(100_150n);
  });

  test('that the gateway refuses is a refusal', async () => {
    const asked = { ...newOrder(), currency: 'rupees' };
    expect(await gateway.createOrder(asked)).toMatchObject({ code: 'GATEWAY_REFUSED' });
  });

  test.each([
    ['error', false],
    ['timeout', false],
    ['reset', false],
    ['malformed', true],
    ['accept_then_timeout', true],
  ])(
    'is undecided after %s and not asked for twice; its receipt finds it: %s',
    async (fault, made) => {
      const asked = newOrder();
      const before = (await kit.calls('create-order')).length;
      await kit.fault('create-order', fault);
      expect(await gateway.createOrder(asked)).toMatchObject({ kind: 'unknown' });
      expect(await kit.calls('create-order')).toHaveLength(before + 1);
      const found = valueOf(await gateway.findOrderByReceipt(asked.receipt));
      expect(found !== undefined).toBe(made);
    },
  );
});

describe('payments and refunds', () => {
  test('are read as the gateway has them', async () => {
    const order = await create();
    await pay(order, { outcome: 'failed', method: 'card' });
    const paid = await pay(order, { outcome: 'captured', amountPaise: 5, currency: 'USD' });
    expect(valueOf(await gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { status: 'FAILED', method: 'card', amountPaise: 100_050n, currency: 'INR' },
      {
        gatewayPaymentId: paid.gateway_payment_id,
        gatewayOrderId: order.gatewayOrderId,
        status: 'CAPTURED',
        amountPaise: 5n,
        currency: 'USD',
        createdAt: expect.any(Date),
      },
    ]);
    expect(valueOf(await gateway.getOrder(order.gatewayOrderId)).status).toBe('PAID');
    const ref = { gatewayPaymentId: paid.gateway_payment_id, gatewayOrderId: null };
    expect(valueOf(await gateway.getRefunds(ref))).toEqual([]);
    expect(valueOf(await gateway.getDisputes(ref))).toEqual([]);
    await kit.control('POST', `/refunds/${paid.gateway_payment_id}`, {});
    await kit.control('POST', `/disputes/${paid.gateway_payment_id}`, { amountPaise: 2 });
    expect(valueOf(await gateway.getRefunds(ref))).toMatchObject([
      { amountPaise: 5n, status: 'PROCESSED' },
    ]);
    expect(valueOf(await gateway.getDisputes(ref))).toMatchObject([
      { amountPaise: 2n, status: 'LOST' },
    ]);
  });

  const any = { gatewayPaymentId: 'any', gatewayOrderId: 'any' };
  test.each([
    ['list-payments', () => gateway.listPayments('any')],
    ['get-refund', () => gateway.getRefunds(any)],
    ['get-dispute', () => gateway.getDisputes(any)],
  ])('are unknown while %s fails', async (operation, ask) => {
    await kit.fault(operation, 'malformed', { times: 3 });
    expect(await ask()).toMatchObject({ kind: 'unknown' });
  });
});

test("a mandate's debit is made once for its key, and its end comes by itself", async () => {
  const order = await create();
  const debit = {
    gatewayOrderId: order.gatewayOrderId,
    mandateToken: 'mandate-1',
    amountPaise: order.amountPaise,
    currency: 'INR',
    idempotencyKey: 'debit-1',
  };
  const first = await gateway.debitMandate?.(debit);
  expect(first).toMatchObject({ kind: 'done' });
  expect(await gateway.debitMandate?.(debit)).toEqual(first);
  await eventually(async () => {
    const payments = valueOf(await gateway.listPayments(order.gatewayOrderId));
    expect(payments).toMatchObject([{ status: 'CAPTURED', amountPaise: order.amountPaise }]);
  });
});

describe("the checkout's signature", () => {
  test('is taken from the gateway and nobody else', async () => {
    const order = await create();
    const played = await pay(order, { outcome: 'captured' });
    const proof = {
      gatewayOrderId: order.gatewayOrderId,
      gatewayPaymentId: played.gateway_payment_id,
      signature: played.signature,
    };
    expect(valueOf(await gateway.verifyCheckout(proof))).toBe(true);
    for (const wrong of [
      { ...proof, signature: '' },
      { ...proof, signature: played.signature.slice(0, -1) },
      { ...proof, signature: `${played.signature}00` },
      { ...proof, signature: played.signature.toUpperCase() },
      { ...proof, gatewayPaymentId: 'other' },
    ]) {
      expect(valueOf(await gateway.verifyCheckout(wrong))).toBe(false);
    }
  });
});

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

  test('is taken under each secret in force, and under no other', () => {
    gateway = open({ ...kit.env, SANDBOX_GATEWAY_WEBHOOK_SECRETS: `${newSecret}, ${oldSecret}` });
    expect(deliver(event, oldSecret).valid).toBe(true);
    expect(deliver(event, newSecret).valid).toBe(true);
    expect(deliver(event, 'dev-only-another-secret').valid).toBe(false);
  });

  test('without a signature, or with one of other bytes, is not valid', () => {
    expect(deliver(event, oldSecret, { 'x-gateway-signature': undefined }).valid).toBe(false);
    expect(deliver(event, oldSecret, { 'x-gateway-signature': ['a', 'b'] }).valid).toBe(false);
    const signature = createHmac('sha256', oldSecret).update(JSON.stringify(event)).digest('hex');
    const respaced = JSON.stringify(event, null, 1);
    expect(deliver(respaced, oldSecret, { 'x-gateway-signature': signature }).valid).toBe(false);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'captured'],
    ['no object', '[]'],
    ['no amount', { ...event, data: { ...event.data, amount_paise: undefined } }],
    ['half a paisa', { ...event, data: { ...event.data, amount_paise: 0.5 } }],
    ['too much', JSON.stringify(event).replace('100050', '9007199254740993')],
    ['two amounts', JSON.stringify(event).replace('"currency"', '"amount_paise":1,"currency"')],
    ['an id that cannot be stored', { ...event, data: { ...event.data, gateway_order_id: 'a\0' } }],
    ['an endless id', { ...event, data: { ...event.data, gateway_payment_id: 'a'.repeat(200) } }],
    ['no time', { ...event, created_at: 'yesterday' }],
  ])('that is signed but holds %s is valid and unreadable', (_what, body) => {
    expect(deliver(body)).toMatchObject({ valid: true, event: { kind: 'unreadable' } });
  });

  test('may come without an event id, and then has none', () => {
    const bare = deliver(event, oldSecret, { 'x-gateway-event-id': undefined });
    expect(bare).toMatchObject({ valid: true });
    expect(bare).not.toHaveProperty('eventId');
    expect(deliver(event, oldSecret, { 'x-gateway-event-id': 'a b' })).not.toHaveProperty(
      'eventId',
    );
  });
});
