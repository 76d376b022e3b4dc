import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromSafePaise } from '../../src/money/index.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import { openAnswerGateways, type AnswerGateways } from './answer-gateways.ts';
import { startAnswerServer, type Answer, type AnswerServer } from './answer-server.ts';

// An answer that is well formed and about somebody else: of a cache, a proxy or a faulty gateway.

const silent = (): void => {};
let server: AnswerServer;
let gateways: AnswerGateways;

beforeAll(async () => {
  server = await startAnswerServer();
});
// New ones for each test, so that no circuit is left open.
beforeEach(() => {
  gateways = openAnswerGateways(server.url, {
    clock: createManualClock(new Date()),
    logger: { debug: silent, warn: silent },
  });
});
afterEach(() => gateways.close());
afterAll(() => server.stop());

const at = '2026-01-05T04:00:00.000Z';
const seconds = 1_767_585_600;

/** Writes an order and a captured payment of it as each gateway does. */
const writers = {
  sandbox: {
    order: (id: string) => ({
      id,
      receipt: 'r',
      amount_paise: 100_050,
      currency: 'INR',
      status: 'paid',
    }),
    payments: (id: string) => ({
      items: [
        {
          id: 'pay_1',
          order_id: id,
          amount_paise: 100_050,
          currency: 'INR',
          status: 'captured',
          created_at: at,
        },
      ],
    }),
  },
  razorpay: {
    order: (id: string) => ({ id, receipt: 'r', amount: 100_050, currency: 'INR', status: 'paid' }),
    payments: (id: string) => ({
      items: [
        {
          id: 'pay_1',
          order_id: id,
          amount: 100_050,
          currency: 'INR',
          status: 'captured',
          created_at: seconds,
        },
      ],
    }),
  },
  cashfree: {
    order: (id: string) => ({
      order_id: id,
      order_amount: 1000.5,
      order_currency: 'INR',
      order_status: 'PAID',
      customer_details: { customer_phone: '9876543210' },
      order_tags: { subscription_id: 'mandate_1' },
    }),
    payments: (id: string) => [
      {
        cf_payment_id: 'pay_1',
        order_id: id,
        payment_amount: 1000.5,
        payment_currency: 'INR',
        payment_status: 'SUCCESS',
        payment_time: at,
      },
    ],
  },
} as const;

const charge = (orderId: string) => ({
  cf_payment_id: 'pay_2',
  payment_id: orderId,
  payment_amount: 1000.5,
  payment_status: 'SUCCESS',
});

const notFound: Answer = {
  status: 404,
  body: { code: 'payment_not_found', message: 'Payment does not exist' },
};

const codes = ['sandbox', 'razorpay', 'cashfree'] as const;

describe.each(codes)('the gateway %s', (code) => {
  const answerAbout = (orderId: string, ofPayments = orderId) =>
    server.answerWith((request) => {
      if (request.includes('/subscriptions/')) return notFound;
      const { order, payments } = writers[code];
      return { body: request.includes('payments') ? payments(ofPayments) : order(orderId) };
    });

  test("reads the order that was asked about, and no other order's", async () => {
    answerAbout('order_1');
    const [order, payments] = [
      await gateways.of(code).getOrder('order_1'),
      await gateways.of(code).listPayments('order_1'),
    ];
    expect(order).toMatchObject({ kind: 'done', value: { status: 'PAID' } });
    expect(payments).toMatchObject({ kind: 'done', value: [{ status: 'CAPTURED' }] });
    answerAbout('order_2');
    expect(await gateways.of(code).getOrder('order_1')).toMatchObject({ kind: 'unknown' });
    expect(await gateways.of(code).listPayments('order_1')).toMatchObject({ kind: 'unknown' });
  });

  test('takes the captured payment of another order for no payment of this one', async () => {
    answerAbout('order_1', 'order_2');
    expect(await gateways.of(code).listPayments('order_1')).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    ['a page for people', { headers: { 'content-type': 'text/html' }, body: '<html>503</html>' }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
    ['an empty answer', { body: '' }],
    ["a proxy's refusal", { status: 404, body: { message: 'no Route matched with those values' } }],
    ['a huge answer', { body: JSON.stringify({ items: 'x'.repeat(2_000_000) }) }],
    ['a deep answer', { body: '['.repeat(200_000) }],
  ])('is not understood to say anything by %s', async (_what, answer: Answer) => {
    server.answerWith(() => answer);
    const gateway = gateways.of(code);
    const ref = { gatewayPaymentId: 'pay_1', gatewayOrderId: 'order_1' };
    const outcomes = [
      await gateway.listPayments('order_1'),
      await gateway.findOrderByReceipt('order_1'),
      await gateway.getRefunds(ref),
    ];
    // A circuit that opened meanwhile is no answer either.
    const kinds = outcomes.map((outcome) =>
      outcome.kind === 'refused' ? outcome.code : outcome.kind,
    );
    expect(kinds.filter((kind) => kind !== 'unknown' && kind !== 'CIRCUIT_OPEN')).toEqual([]);
    expect(server.asked.filter((request) => request.includes('elsewhere'))).toEqual([]);
  });
});

test('a refund of another payment is none of the payment that was asked about', async () => {
  const refund = { id: 'rfnd_1', amount: 500, status: 'processed', created_at: seconds };
  const ref = { gatewayPaymentId: 'pay_1', gatewayOrderId: null };
  server.answerWith(() => ({ body: { items: [{ ...refund, payment_id: 'pay_1' }] } }));
  expect(await gateways.of('razorpay').getRefunds(ref)).toMatchObject({
    value: [{ refundId: 'rfnd_1', amountPaise: 500n }],
  });
  server.answerWith(() => ({ body: { items: [{ ...refund, payment_id: 'pay_2' }] } }));
  expect(await gateways.of('razorpay').getRefunds(ref)).toMatchObject({ kind: 'unknown' });
});

test('an address that Razorpay does not have says nothing about an order', async () => {
  const description = 'The requested URL was not found on the server.';
  server.answerWith(() => ({
    status: 404,
    body: { error: { code: 'BAD_REQUEST_ERROR', description } },
  }));
  expect(await gateways.of('razorpay').getOrder('order_1')).toMatchObject({
    kind: 'refused',
    code: 'GATEWAY_REFUSED',
  });
});

test("a charge of another order is none of the order's", async () => {
  const { order, payments } = writers.cashfree;
  server.answerWith((request) => {
    if (request.includes('/subscriptions/')) return { body: charge('order_2') };
    return request.includes('payments')
      ? { body: payments('order_1') }
      : { body: order('order_1') };
  });
  expect(await gateways.of('cashfree').listPayments('order_1')).toMatchObject({ kind: 'unknown' });
});

test.each([
  ['order', 'order_2', 'mandate_1'],
  ['mandate', 'order_1', 'mandate_2'],
])('no debit is sent on an answer about another %s', async (_what, orderId, subscriptionId) => {
  server.answerWith((request) => {
    if (request.startsWith('POST')) return { body: charge('order_1') };
    return request.includes('/subscriptions/')
      ? {
          body: {
            subscription_id: subscriptionId,
            customer_details: { customer_phone: '9876543210' },
          },
        }
      : { body: writers.cashfree.order(orderId) };
  });
  const debited = await gateways.of('cashfree').debitMandate?.({
    gatewayOrderId: 'order_1',
    mandateToken: 'mandate_1',
    amountPaise: fromSafePaise(100_050),
    currency: 'INR',
    idempotencyKey: 'debit-1',
  });
  expect(debited).toMatchObject({ kind: 'unknown' });
  expect(server.asked.filter((request) => request.startsWith('POST'))).toEqual([]);
});
