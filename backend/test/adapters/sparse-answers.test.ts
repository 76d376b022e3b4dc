import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromSafePaise } from '../../src/money/index.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import { openAnswerGateways, type AnswerGateways } from './answer-gateways.ts';
import { startAnswerServer, type AnswerServer } from './answer-server.ts';
import { leftOutWays, type Row } from './left-out-ways.ts';

// Fields that the vendors' documents call optional may be null, empty or absent.

const cashfreeSecret = 'dev-only-cashfree-client-secret';
const silent = (): void => {};
const clock = createManualClock(new Date('2026-01-05T04:00:00.000Z'));
let server: AnswerServer;
let gateways: AnswerGateways;

beforeAll(async () => {
  server = await startAnswerServer();
});
beforeEach(() => {
  gateways = openAnswerGateways(server.url, { clock, logger: { debug: silent, warn: silent } });
});
afterEach(() => gateways.close());
afterAll(() => server.stop());

const amountPaise = fromSafePaise(100_050);
const order = {
  receipt: 'order_1',
  amountPaise,
  currency: 'INR',
  customer: { id: 'customer-1', phone: '+919876543210' },
};
const debitUnder = (code: string, mandateToken: string) =>
  gateways.of(code).debitMandate?.({
    gatewayOrderId: 'order_1',
    mandateToken,
    amountPaise,
    currency: 'INR',
    idempotencyKey: 'debit-1',
  });
const posts = () => server.asked.filter((request) => request.startsWith('POST'));

/** Answers as Razorpay does about an order and a mandate of this customer. */
const answerAbout = (owner: Row) =>
  server.answerWith((request) => {
    if (request.startsWith('POST')) return { body: { razorpay_payment_id: 'pay_1' } };
    if (request.includes('/customers/')) return { body: owner };
    if (request.endsWith('/payments')) return { body: { items: [] } };
    return { body: { id: 'order_1', notes: { contact: '+919876543210' } } };
  });

describe.each(leftOutWays)('a field that is %s', (_way, without) => {
  const cashfreeOrder: Row = {
    order_id: 'order_1',
    order_amount: 1000.5,
    order_currency: 'INR',
    order_status: 'ACTIVE',
    payment_session_id: 'session_1',
    customer_details: { customer_phone: '9876543210' },
  };
  const cashfreePayment: Row = {
    cf_payment_id: 'pay_1',
    entity: 'payment',
    order_id: 'order_1',
    payment_amount: 1000.5,
    payment_currency: 'INR',
    payment_status: 'SUCCESS',
    payment_group: 'upi',
    payment_time: '2026-01-05T04:00:00.000Z',
  };

  test.each(['entity', 'order_id', 'payment_currency', 'payment_group', 'payment_time'])(
    'hides no payment of Cashfree: %s',
    async (name) => {
      const payment = without(cashfreePayment, name);
      server.answerWith((request) => ({
        body: request.endsWith('payments') ? [payment] : cashfreeOrder,
      }));
      expect(await gateways.of('cashfree').listPayments('order_1')).toMatchObject({
        value: [{ status: 'CAPTURED', amountPaise, currency: 'INR', createdAt: clock.now() }],
      });
    },
  );

  test('the adapter opens no order at Cashfree that nobody can pay', async () => {
    server.answerWith(() => ({ body: without(cashfreeOrder, 'payment_session_id') }));
    expect(await gateways.of('cashfree').createOrder(order)).toMatchObject({
      kind: 'refused',
      code: 'GATEWAY_REFUSED',
      message: expect.stringContaining('payment_session_id'),
    });
    // The second read may show what the first answer left out.
    server.answerWith((request) => ({
      body: request.startsWith('POST')
        ? without(cashfreeOrder, 'payment_session_id')
        : cashfreeOrder,
    }));
    expect(await gateways.of('cashfree').createOrder(order)).toMatchObject({
      value: { checkoutSession: 'session_1' },
    });
  });

  test.each(['customer_details', 'customer_phone'])(
    'refuses a mandate of Cashfree at once, with the reason: %s',
    async (name) => {
      const subscription: Row = {
        subscription_id: 'mandate_1',
        customer_details: without({ customer_phone: '9876543210' }, name),
      };
      server.answerWith((request) => ({
        body: request.includes('/subscriptions/') ? without(subscription, name) : cashfreeOrder,
      }));
      expect(await debitUnder('cashfree', 'mandate_1')).toMatchObject({
        kind: 'refused',
        code: 'GATEWAY_REFUSED',
        message: expect.stringContaining('phone number'),
      });
      expect(posts()).toEqual([]);
    },
  );

  const customer: Row = { id: 'cust_1', email: 'a@example.com', contact: '+919876543210' };
  const razorpayPayment: Row = {
    id: 'pay_1',
    entity: 'payment',
    order_id: 'order_1',
    amount: 100_050,
    currency: 'INR',
    method: 'upi',
    status: 'captured',
    notes: [],
    created_at: 1_767_585_600,
  };
  test.each(['entity', 'order_id', 'method', 'notes', 'created_at'])(
    'hides no payment of Razorpay: %s',
    async (name) => {
      server.answerWith(() => ({ body: { items: [without(razorpayPayment, name)] } }));
      expect(await gateways.of('razorpay').listPayments('order_1')).toMatchObject({
        value: [{ status: 'CAPTURED', amountPaise, createdAt: clock.now() }],
      });
    },
  );

  test('the adapter debits a mandate of Razorpay whose customer has no e-mail', async () => {
    answerAbout(without(customer, 'email'));
    expect(await debitUnder('razorpay', 'cust_1/token_1')).toMatchObject({ kind: 'done' });
  });

  test('the adapter refuses a mandate of Razorpay whose customer has no number', async () => {
    answerAbout(without(customer, 'contact'));
    expect(await debitUnder('razorpay', 'cust_1/token_1')).toMatchObject({
      kind: 'refused',
      code: 'GATEWAY_REFUSED',
      message: expect.stringContaining('phone number'),
    });
    expect(posts()).toEqual([]);
  });
});

test('an amount in exponent form is read exactly, polled or signed', async () => {
  const amount = '1.0005E+3';
  const payment = `{"cf_payment_id":"pay_1","payment_amount":${amount},"payment_currency":"INR",
    "payment_status":"SUCCESS"}`;
  const made = `{"order_id":"order_1","order_amount":${amount},"order_currency":"INR"}`;
  server.answerWith((request) => ({ body: request.endsWith('payments') ? `[${payment}]` : made }));
  expect(await gateways.of('cashfree').getOrder('order_1')).toMatchObject({
    value: { amountPaise },
  });
  expect(await gateways.of('cashfree').listPayments('order_1')).toMatchObject({
    value: [{ amountPaise }],
  });
  const event = `{"type":"PAYMENT_SUCCESS_WEBHOOK","event_time":"2026-01-05T09:30:00+05:30",
    "data":{"order":{"order_id":"order_1","order_currency":"INR"},"payment":${payment}}}`;
  const timestamp = '1767585600000';
  const signature = createHmac('sha256', cashfreeSecret)
    .update(timestamp + event)
    .digest('base64');
  const webhook = gateways.of('cashfree').verifyWebhook({
    rawBody: Buffer.from(event),
    headers: { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature },
  });
  expect(webhook).toMatchObject({ valid: true, event: { kind: 'captured', amountPaise } });
});

test.each(['.', '..'])(
  'a mandate token that is %s is no path, and refused at once',
  async (token) => {
    server.answerWith(() => ({
      body: { order_id: 'order_1', order_amount: 1000.5, order_currency: 'INR' },
    }));
    const outcome = await debitUnder('cashfree', token);
    expect(outcome).toMatchObject({ kind: 'refused', code: 'UNFIT_PATH' });
    expect(server.asked).toEqual(['GET /orders/order_1']);
  },
);
