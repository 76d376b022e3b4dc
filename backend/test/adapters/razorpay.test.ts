import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import type { PaymentGateway } from '../../src/adapters/payment-gateway/port.ts';
import { fromSafePaise } from '../../src/money/index.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';

// What every gateway has to do is in payment-gateway-contract.test.ts. Here is this one's own form,
// and answers that its sandbox does not give.

type Answer = readonly [status: number, text: string];

const secret = 'dev-only-razorpay-webhook-secret';
const silent = (): void => {};
const bytes = (value: unknown): string => JSON.stringify(value);

let server: Server;
let gateway: PaymentGateway & Closable;
/** Its answers to each path in turn, and the requests that it received. */
let answers: ((path: string) => Answer) | undefined;
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().once('end', () => {
      const path = `${request.method} ${request.url}`;
      asked.push(path);
      const [status, text] = answers?.(path) ?? [500, ''];
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not on a port');
  const env = {
    APP_MODE: 'test',
    PAYMENT_GATEWAYS: 'razorpay',
    RAZORPAY_BASE_URL: `http://127.0.0.1:${address.port}`,
    RAZORPAY_KEY_ID: 'key',
    RAZORPAY_KEY_SECRET: 'dev-only-razorpay-key-secret',
    RAZORPAY_WEBHOOK_SECRETS: secret,
  };
  const deps = { clock: createManualClock(new Date()), logger: { debug: silent, warn: silent } };
  const opened = createPaymentGateways(env, deps).get('razorpay');
  if (opened === undefined) throw new Error('there is no razorpay');
  gateway = opened;
});
afterAll(async () => {
  await gateway.close();
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  answers = undefined;
  asked = [];
});

const order = (more: object = {}) => ({
  id: 'order_1',
  entity: 'order',
  amount: 100_050,
  currency: 'INR',
  receipt: 'receipt-1',
  status: 'created',
  ...more,
});
const list = (...items: unknown[]): Answer => [200, bytes({ entity: 'collection', items })];
const refusal = (description: string): Answer => [
  400,
  bytes({ error: { code: 'BAD_REQUEST_ERROR', description } }),
];
const newOrder = {
  receipt: 'receipt-1',
  amountPaise: fromSafePaise(100_050),
  currency: 'INR',
  customer: { id: 'customer-1', phone: '+919876543210' },
};

describe('an order', () => {
  test('of a receipt that is used already is the one that has it', async () => {
    answers = (path) =>
      path.startsWith('POST') ? refusal('Order receipt should be unique.') : list(order());
    const made = await gateway.createOrder(newOrder);
    expect(made).toMatchObject({ kind: 'done', value: { gatewayOrderId: 'order_1' } });
    answers = (path) =>
      path.startsWith('POST') ? refusal('Order receipt should be unique.') : list();
    expect(await gateway.createOrder(newOrder)).toMatchObject({ kind: 'unknown' });
  });

  test('is the paid one where its receipt has several, and else the first', async () => {
    const newest = order({ id: 'order_2' });
    answers = () => list(newest, order());
    expect(await gateway.findOrderByReceipt('receipt-1')).toMatchObject({
      value: { gatewayOrderId: 'order_1' },
    });
    answers = () => list({ ...newest, status: 'paid' }, order());
    expect(await gateway.findOrderByReceipt('receipt-1')).toMatchObject({
      value: { gatewayOrderId: 'order_2', status: 'PAID' },
    });
  });

  test('is undecided where the list shows the orders of other receipts alone', async () => {
    answers = () => list(order({ receipt: 'receipt-2' }), order({ receipt: null }));
    expect(await gateway.findOrderByReceipt('receipt-1')).toMatchObject({ kind: 'unknown' });
    answers = () => list();
    expect(await gateway.findOrderByReceipt('receipt-1')).toEqual({ kind: 'done' });
  });

  test.each([
    ['a fraction of a paisa', '100050.5'],
    ['more than fits a number', '9007199254740993'],
    ['a text', '"many"'],
    ['a fraction in exponent form', '1000505e-1'],
  ])('whose amount is %s cannot be read', async (_what, amount) => {
    answers = () => [200, bytes(order()).replace('100050', amount)];
    expect(await gateway.getOrder('order_1')).toMatchObject({ kind: 'unknown' });
  });

  test('whose amount is in exponent form has that amount', async () => {
    answers = () => [200, bytes(order()).replace('100050', '1.0005E+5')];
    expect(await gateway.getOrder('order_1')).toMatchObject({ value: { amountPaise: 100_050n } });
  });

  test('with a status of no page is in none that we know', async () => {
    answers = () => [200, bytes(order({ status: 'constructor' }))];
    expect(await gateway.getOrder('order_1')).toMatchObject({ value: { status: 'UNKNOWN' } });
  });

  test("quotes none of the customer's numbers in a refusal", async () => {
    answers = () => refusal('The contact 9876543210 is invalid');
    const refused = await gateway.getOrder('order_1');
    expect(refused).toMatchObject({ kind: 'refused', code: 'GATEWAY_REFUSED' });
    expect(bytes(refused)).not.toContain('9876');
  });
});

test.each([
  ['created', 'PENDING'],
  ['authorized', 'PENDING'],
  ['captured', 'CAPTURED'],
  ['refunded', 'REFUNDED'],
  ['failed', 'FAILED'],
])('a payment that is %s is %s', async (status, expected) => {
  const payment = { id: 'pay_1', order_id: 'order_1', amount: 5, currency: 'INR', notes: [] };
  answers = () => list({ ...payment, method: 'upi', status, created_at: 1_767_585_600 });
  expect(await gateway.listPayments('order_1')).toEqual({
    kind: 'done',
    value: [
      {
        gatewayPaymentId: 'pay_1',
        gatewayOrderId: 'order_1',
        amountPaise: 5n,
        currency: 'INR',
        method: 'upi',
        status: expected,
        createdAt: new Date('2026-01-05T04:00:00.000Z'),
      },
    ],
  });
});

const listedDispute = (id: string, more: object = {}) => ({
  id,
  payment_id: 'pay_1',
  amount: 500,
  amount_deducted: 0,
  status: 'open',
  created_at: 1_767_585_600,
  ...more,
});

describe('disputes', () => {
  const ref = { gatewayPaymentId: 'pay_1', gatewayOrderId: null };

  test.each([
    ['open', 'OPEN'],
    ['under_review', 'OPEN'],
    ['won', 'WON'],
    ['closed', 'WON'],
    ['lost', 'LOST'],
  ])('that are %s are %s', async (status, expected) => {
    answers = () => list(listedDispute('disp_1', { status }));
    expect(await gateway.getDisputes(ref)).toMatchObject({ value: [{ status: expected }] });
  });

  test('that are lost took what was deducted', async () => {
    answers = () => list(listedDispute('disp_1', { status: 'lost', amount_deducted: 470 }));
    expect(await gateway.getDisputes(ref)).toMatchObject({ value: [{ amountPaise: 470n }] });
  });

  test('are looked for on every page', async () => {
    const others = Array.from({ length: 100 }, (_, at) =>
      listedDispute(`disp_o${at}`, { payment_id: 'pay_2' }),
    );
    answers = (path) =>
      path.includes('skip=100') ? list(listedDispute('disp_1')) : list(...others);
    expect(await gateway.getDisputes(ref)).toMatchObject({ value: [{ disputeId: 'disp_1' }] });
    expect(asked).toEqual([
      'GET /v1/disputes?count=100&skip=0',
      'GET /v1/disputes?count=100&skip=100',
    ]);
  });

  test('of a list without an end are unknown', async () => {
    const page = Array.from({ length: 100 }, (_, at) => listedDispute(`disp_${at}`));
    answers = () => list(...page);
    expect(await gateway.getDisputes(ref)).toMatchObject({ kind: 'unknown' });
    // The stretch before the oldest row begins with that row again: it has no end.
    expect(asked).toHaveLength(40);
  });
});

const debit = (mandateToken: string) =>
  gateway.debitMandate?.({
    gatewayOrderId: 'order_1',
    mandateToken,
    amountPaise: fromSafePaise(100_050),
    currency: 'INR',
    idempotencyKey: 'debit-1',
  });

describe('a debit', () => {
  test('has no key by which Razorpay would know a repeat', () => {
    expect(gateway.debitsHaveKey).toBe(false);
  });

  test.each(['token_1', 'cust_1', 'cust_1/', 'cust_1/token_1/x', 'cust_../token_1', ''])(
    'under the mandate token %j is refused before anything is sent',
    async (token) => {
      expect(await debit(token)).toMatchObject({ kind: 'refused', code: 'GATEWAY_REFUSED' });
      expect(asked).toEqual([]);
    },
  );

  test.each([
    ['another number', { contact: '+919812345678' }],
    ['no number', []],
  ])('is refused under the mandate of another customer: %s', async (_what, notes) => {
    answers = (path) => {
      if (path.includes('/payments')) return list();
      if (path.includes('/orders/')) return [200, bytes(order({ notes }))];
      return [200, bytes({ id: 'cust_1', email: 'a@example.com', contact: '9876543210' })];
    };
    expect(await debit('cust_1/token_1')).toMatchObject({
      kind: 'refused',
      code: 'GATEWAY_REFUSED',
    });
    expect(asked.filter((path) => path.startsWith('POST'))).toEqual([]);
  });

  test('is not made while nobody can tell whether it was made before', async () => {
    answers = (path) => (path.includes('/payments') ? [500, ''] : list());
    expect(await debit('cust_1/token_1')).toMatchObject({ kind: 'unknown' });
    expect(asked.filter((path) => path.startsWith('POST'))).toEqual([]);
  });
});

const event = (name: string, parts: Readonly<Record<string, unknown>>) => ({
  entity: 'event',
  event: name,
  contains: Object.keys(parts),
  payload: Object.fromEntries(Object.entries(parts).map(([part, entity]) => [part, { entity }])),
  created_at: 1_767_585_600,
});
const deliver = (body: unknown, headers: object = {}) => {
  const rawBody = Buffer.from(bytes(body));
  const signature = createHmac('sha256', secret).update(rawBody).digest('hex');
  const own = { 'x-razorpay-signature': signature, 'x-razorpay-event-id': 'event-1' };
  return gateway.verifyWebhook({ rawBody, headers: { ...own, ...headers } });
};

describe('a webhook', () => {
  const payment = {
    id: 'pay_1',
    entity: 'payment',
    amount: 100_050,
    currency: 'INR',
    status: 'captured',
    order_id: 'order_1',
    method: 'upi',
    captured: true,
  };
  const refund = { id: 'rfnd_1', amount: 50, currency: 'INR', payment_id: 'pay_1' };
  const dispute = { id: 'disp_1', payment_id: 'pay_1', amount: 70, amount_deducted: 60 };
  test('is read into our words', () => {
    expect(deliver(event('payment.captured', { payment }))).toEqual({
      valid: true,
      eventId: 'event-1',
      event: {
        kind: 'captured',
        name: 'payment.captured',
        gatewayOrderId: 'order_1',
        gatewayPaymentId: 'pay_1',
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
    ['refund.created', 'other'],
    ['refund.failed', 'other'],
    ['payment.dispute.created', 'other'],
    ['payment.dispute.won', 'other'],
    ['constructor', 'other'],
  ])('%s is %s', (name, kind) => {
    const parts = { payment, refund, dispute, order: { id: 'order_1', amount: 1 } };
    expect(deliver(event(name, parts))).toMatchObject({ valid: true, event: { kind } });
  });

  test('of a refund names its payment, with or without its order', () => {
    const read = { kind: 'refunded', reference: 'rfnd_1', amountPaise: 50n };
    expect(deliver(event('refund.processed', { refund, payment }))).toMatchObject({
      event: { ...read, gatewayPaymentId: 'pay_1', gatewayOrderId: 'order_1' },
    });
    const bare = deliver(event('refund.processed', { refund }));
    expect(bare).toMatchObject({ event: { ...read, gatewayPaymentId: 'pay_1' } });
    expect(bare.valid && bare.event).not.toHaveProperty('gatewayOrderId');
  });

  test('of a refund that Razorpay made of an uncaptured payment has no consequence', () => {
    const uncaptured = { ...payment, captured: false };
    expect(deliver(event('refund.processed', { refund, payment: uncaptured }))).toMatchObject({
      event: { kind: 'other' },
    });
  });

  test('of a lost dispute says what was deducted', () => {
    expect(deliver(event('payment.dispute.lost', { payment, dispute }))).toMatchObject({
      event: { kind: 'dispute_lost', reference: 'disp_1', amountPaise: 60n },
    });
    const undeducted = { ...dispute, amount_deducted: 0 };
    expect(deliver(event('payment.dispute.lost', { payment, dispute: undeducted }))).toMatchObject({
      event: { amountPaise: 70n },
    });
  });

  test('that names no time happened when its payment was made, or else now', () => {
    const untimed = { ...event('payment.captured', { payment }), created_at: 'yesterday' };
    expect(deliver(untimed)).toMatchObject({
      event: { kind: 'captured', occurredAt: expect.any(Date) },
    });
    const made = { ...payment, created_at: 1_767_585_600 };
    expect(
      deliver({ ...untimed, payload: { payment: { entity: made }, order: null } }),
    ).toMatchObject({
      event: { kind: 'captured', occurredAt: new Date('2026-01-05T04:00:00.000Z') },
    });
  });

  test.each([
    ['no payment', event('order.paid', { order: { id: 'order_1' } })],
    [
      'a payment of no order',
      event('payment.captured', { payment: { ...payment, order_id: null } }),
    ],
    ['no payload', { ...event('payment.captured', { payment }), payload: undefined }],
    ['a refund of nothing', event('refund.processed', { refund: { ...refund, amount: 0 } })],
    ['an event of another product', event('settlement.processed', { settlement: { id: 's' } })],
  ])('that is signed but holds %s is valid and unreadable', (_what, body) => {
    expect(deliver(body)).toMatchObject({ valid: true, event: { kind: 'unreadable' } });
  });

  test('signed by the key secret of checkouts is not valid', () => {
    const body = event('payment.captured', { payment });
    const signature = createHmac('sha256', 'dev-only-razorpay-key-secret')
      .update(bytes(body))
      .digest('hex');
    expect(deliver(body, { 'x-razorpay-signature': signature })).toEqual({ valid: false });
  });

  test('may come without an event id, and then has none', () => {
    const body = event('payment.captured', { payment });
    for (const id of [undefined, 'a b', ['a', 'b']]) {
      const bare = deliver(body, { 'x-razorpay-event-id': id });
      expect(bare).toMatchObject({ valid: true });
      expect(bare).not.toHaveProperty('eventId');
    }
  });
});
