import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ObservedRow } from '../../src/adapters/adapter-deps.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import { openAnswerGateways, type AnswerGateways } from './answer-gateways.ts';
import { startAnswerServer, type AnswerServer } from './answer-server.ts';

// A row of a list that can't be read takes nothing from the others.

let server: AnswerServer;
let gateways: AnswerGateways;
let warned: object[];
let counted: ObservedRow[];

beforeAll(async () => {
  server = await startAnswerServer();
});
beforeEach(() => {
  warned = [];
  counted = [];
  gateways = openAnswerGateways(server.url, {
    clock: createManualClock(new Date()),
    logger: { debug: () => {}, warn: (fields) => warned.push(fields) },
    observeRow: (row) => counted.push(row),
  });
});
afterEach(() => gateways.close());
afterAll(() => server.stop());

const at = '2026-01-05T04:00:00.000Z';
const seconds = 1_767_585_600;
const orderId = 'order_1';
const paymentId = 'pay_1';

type Row = Readonly<Record<string, unknown>>;

interface Lists {
  readonly wrap: (rows: readonly unknown[]) => unknown;
  /** The names of the fields that the tests change. */
  readonly names: Readonly<Record<'order' | 'amount' | 'status' | 'payment', string>>;
  readonly payment: Row;
  readonly refund: Row;
  readonly refundAmount: string;
  readonly refundStatus: string;
  readonly dispute: Row;
  readonly disputeAmount: string;
  readonly disputeStatus: string;
  /** A refund or dispute of another payment. */
  readonly ofAnother: Row;
  readonly disputeOfAnother: Row;
}

const inItems = (items: readonly unknown[]) => ({ items });

const lists: Readonly<Record<'sandbox' | 'razorpay' | 'cashfree', Lists>> = {
  sandbox: {
    wrap: inItems,
    names: { order: 'order_id', amount: 'amount_paise', status: 'status', payment: 'id' },
    payment: {
      id: paymentId,
      order_id: orderId,
      amount_paise: 100_050,
      currency: 'INR',
      status: 'captured',
      created_at: at,
    },
    refund: {
      id: 'rfnd_1',
      payment_id: paymentId,
      amount_paise: 500,
      status: 'processed',
      created_at: at,
    },
    refundAmount: 'amount_paise',
    refundStatus: 'status',
    dispute: {
      id: 'disp_1',
      payment_id: paymentId,
      amount_paise: 500,
      status: 'lost',
      created_at: at,
    },
    disputeAmount: 'amount_paise',
    disputeStatus: 'status',
    ofAnother: { payment_id: 'pay_2' },
    disputeOfAnother: { payment_id: 'pay_2' },
  },
  razorpay: {
    wrap: inItems,
    names: { order: 'order_id', amount: 'amount', status: 'status', payment: 'id' },
    payment: {
      id: paymentId,
      entity: 'payment',
      order_id: orderId,
      amount: 100_050,
      currency: 'INR',
      status: 'captured',
      created_at: seconds,
    },
    refund: {
      id: 'rfnd_1',
      entity: 'refund',
      payment_id: paymentId,
      amount: 500,
      status: 'processed',
      created_at: seconds,
    },
    refundAmount: 'amount',
    refundStatus: 'status',
    dispute: {
      id: 'disp_1',
      entity: 'dispute',
      payment_id: paymentId,
      amount: 500,
      amount_deducted: 500,
      status: 'lost',
      created_at: seconds,
    },
    disputeAmount: 'amount',
    disputeStatus: 'status',
    ofAnother: { payment_id: 'pay_2' },
    disputeOfAnother: { payment_id: 'pay_2' },
  },
  cashfree: {
    wrap: (rows) => rows,
    names: {
      order: 'order_id',
      amount: 'payment_amount',
      status: 'payment_status',
      payment: 'cf_payment_id',
    },
    payment: {
      cf_payment_id: paymentId,
      entity: 'payment',
      order_id: orderId,
      payment_amount: 1000.5,
      payment_currency: 'INR',
      payment_status: 'SUCCESS',
      payment_time: at,
    },
    refund: {
      cf_refund_id: 'rfnd_1',
      entity: 'refund',
      cf_payment_id: paymentId,
      refund_amount: 5,
      refund_status: 'SUCCESS',
      created_at: at,
    },
    refundAmount: 'refund_amount',
    refundStatus: 'refund_status',
    dispute: {
      dispute_id: 1,
      dispute_amount: 5,
      dispute_status: 'DISPUTE_MERCHANT_LOST',
      created_at: at,
    },
    disputeAmount: 'dispute_amount',
    disputeStatus: 'dispute_status',
    ofAnother: { cf_payment_id: 'pay_2' },
    disputeOfAnother: { order_details: { order_id: 'order_2', cf_payment_id: 'pay_2' } },
  },
};

const ref = { gatewayPaymentId: paymentId, gatewayOrderId: orderId };

const cashfreeOrder = {
  order_id: orderId,
  order_amount: 1000.5,
  order_currency: 'INR',
  order_status: 'ACTIVE',
};

describe.each(Object.entries(lists))('a list of %s', (code, of) => {
  const answer = (...rows: unknown[]) =>
    server.answerWith((request) =>
      code === 'cashfree' && request.endsWith(`/orders/${orderId}`)
        ? { body: cashfreeOrder }
        : { body: of.wrap(rows) },
    );
  const { order, amount, status, payment } = of.names;

  test('leaves out what is about something else, and counts the rest', async () => {
    const elsewhere = { ...of.payment, [payment]: 'pay_2', [order]: 'order_2', [amount]: 'n/a' };
    answer(elsewhere, of.payment);
    expect(await gateways.of(code).listPayments(orderId)).toMatchObject({
      kind: 'done',
      value: [{ gatewayPaymentId: paymentId, status: 'CAPTURED' }],
    });
    expect(counted).toMatchObject([{ operation: 'list-payments', reading: 'left_out' }]);
    expect(warned).toMatchObject([{ operation: 'list-payments', leftOut: 1 }]);
    answer(elsewhere);
    expect(await gateways.of(code).listPayments(orderId)).toEqual({ kind: 'done', value: [] });
  });

  test('counts a payment in a state not known as under way', async () => {
    answer({ ...of.payment, [status]: 'constructor' });
    expect(await gateways.of(code).listPayments(orderId)).toMatchObject({
      value: [{ gatewayPaymentId: paymentId, status: 'PENDING' }],
    });
    expect(counted).toMatchObject([{ reading: 'open' }]);
  });

  test('says of a payment of its own that there is one, though it cannot be read', async () => {
    answer({ ...of.payment, [payment]: 'pay_3', [amount]: null }, of.payment);
    expect(await gateways.of(code).listPayments(orderId)).toMatchObject({
      value: [{ gatewayPaymentId: paymentId, status: 'CAPTURED' }, { status: 'UNREADABLE' }],
    });
    expect(counted).toMatchObject([{ reading: 'unread' }]);
    expect(JSON.stringify(warned)).not.toContain('pay_3');
  });

  test('holds rows that are no object, and none that spoils another', async () => {
    answer(null, 'odd', [], of.payment);
    expect(await gateways.of(code).listPayments(orderId)).toMatchObject({
      value: [
        { status: 'CAPTURED' },
        { status: 'UNREADABLE' },
        { status: 'UNREADABLE' },
        { status: 'UNREADABLE' },
      ],
    });
  });

  test('counts refunds that can be read, and knows of one that cannot', async () => {
    const { refund, refundAmount, refundStatus } = of;
    answer({ ...refund, [refundAmount]: {} }, refund);
    expect(await gateways.of(code).getRefunds(ref)).toMatchObject({
      value: [{ refundId: 'rfnd_1', status: 'PROCESSED' }, { status: 'UNREADABLE' }],
    });
    answer({ ...refund, [refundStatus]: 'ON_HOLD' });
    expect(await gateways.of(code).getRefunds(ref)).toMatchObject({
      value: [{ status: 'PENDING' }],
    });
  });

  test('leaves out the refund of another', async () => {
    const { refund, ofAnother, refundAmount } = of;
    answer({ ...refund, ...ofAnother, [refundAmount]: 'n/a' }, refund);
    expect(await gateways.of(code).getRefunds(ref)).toMatchObject({
      value: [{ refundId: 'rfnd_1' }],
    });
  });

  test('counts disputes that can be read, and knows of one that cannot', async () => {
    const { dispute, disputeAmount, disputeStatus } = of;
    answer({ ...dispute, [disputeAmount]: {} }, dispute);
    expect(await gateways.of(code).getDisputes(ref)).toMatchObject({
      value: [{ status: 'LOST', amountPaise: 500n }, { status: 'UNREADABLE' }],
    });
    answer({ ...dispute, [disputeStatus]: 'escalated' });
    expect(await gateways.of(code).getDisputes(ref)).toMatchObject({ value: [{ status: 'OPEN' }] });
  });

  test('leaves out the dispute of another', async () => {
    const { dispute, disputeOfAnother, disputeAmount, disputeStatus } = of;
    const other = { ...dispute, ...disputeOfAnother, [disputeAmount]: 'n/a' };
    answer({ ...other, [disputeStatus]: 'escalated' }, dispute);
    expect(await gateways.of(code).getDisputes(ref)).toMatchObject({
      value: [{ status: 'LOST' }],
    });
  });
});

test("Razorpay's disputes are read since their payment, stretch by stretch of time", async () => {
  const createdAt = new Date(at);
  const newest = 1_770_000_000;
  // 4,500 of other payments, one a minute, and the payment's own before them all.
  const timeOf = (index: number) => newest - index * 60;
  const { dispute } = lists.razorpay;
  const all = [
    ...Array.from({ length: 4_500 }, (_, index) => ({
      ...dispute,
      id: `disp_o${index}`,
      payment_id: 'pay_2',
      created_at: timeOf(index),
    })),
    { ...dispute, created_at: timeOf(4_500) },
  ];
  server.answerWith((request) => {
    const query = new URL(request.split(' ')[1] ?? '', 'http://gateway').searchParams;
    const to = Number(query.get('to') ?? newest);
    const skip = Number(query.get('skip'));
    const found = all.filter((one) => one.created_at <= to);
    return { body: { items: found.slice(skip, skip + 100) } };
  });
  expect(await gateways.of('razorpay').getDisputes({ ...ref, createdAt })).toMatchObject({
    value: [{ disputeId: 'disp_1' }],
  });
  const from = seconds - 7 * 86_400;
  expect(server.asked[0]).toBe(`GET /v1/disputes?count=100&skip=0&from=${from}`);
  expect(server.asked[20]).toBe(
    `GET /v1/disputes?count=100&skip=0&from=${from}&to=${timeOf(1_999)}`,
  );
});
