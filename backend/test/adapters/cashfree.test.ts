import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromSafePaise } from '../../src/money/index.ts';
import { CANNOT_SAY } from '../../src/adapters/payment-gateway/port.ts';
import { unknown } from '../../src/platform/outcome/outcome.ts';
import { eventually } from '../support/eventually.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { valueOf } from './adapter-fixture.ts';
import { gatewayDrivers } from './gateway-drivers.ts';
import { startGatewayFixture, type GatewayFixture } from './gateway-fixture.ts';

const driver = gatewayDrivers.find(({ code }) => code === 'cashfree');
if (driver === undefined) throw new Error('there is no driver of cashfree');

const minuteMs = 60_000;
let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture(driver);
});
beforeEach(() => fixture.reset());
afterAll(() => fixture.stop());

const after = (minutes: number): Date =>
  new Date(fixture.clock.now().getTime() + minutes * minuteMs);

const signed = (body: object, headers: object = {}) => {
  const rawBody = Buffer.from(JSON.stringify(body));
  const timestamp = '1767585600000';
  const hmac = createHmac('sha256', sandboxDefaults.cashfreeClientSecret);
  return {
    rawBody,
    headers: {
      'x-webhook-timestamp': timestamp,
      'x-webhook-signature': hmac.update(timestamp).update(rawBody).digest('base64'),
      ...headers,
    },
  };
};

const read = (type: string, data: object) => {
  const verified = fixture.gateway.verifyWebhook(
    signed({ data, event_time: '2026-01-05T09:30:00+05:30', type }),
  );
  return verified.valid ? verified.event : undefined;
};

/** Calls the sandbox's Cashfree with the right credentials. */
const call = async (method: string, path: string, body: object): Promise<unknown> => {
  const response = await fetch(`${fixture.sandbox.url}/cashfree/pg${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-client-id': sandboxDefaults.cashfreeClientId,
      'x-client-secret': sandboxDefaults.cashfreeClientSecret,
      'x-api-version': '2025-01-01',
    },
    body: JSON.stringify(body),
  });
  return response.json();
};

describe('an order', () => {
  test('is requested in rupees with their decimals, under its receipt', async () => {
    const asked = fixture.newOrder(17_000);
    const order = valueOf(await fixture.gateway.createOrder(asked));
    expect(order.gatewayOrderId).toBe(asked.receipt);
    const [made] = await fixture.calls('create-order');
    expect(made).toMatchObject({
      idempotencyKey: asked.receipt,
      body: {
        order_id: asked.receipt,
        order_currency: 'INR',
        customer_details: { customer_id: 'customer1', customer_phone: '9876543210' },
      },
    });
  });

  test.each([
    [8, 16],
    [15, 16],
    [17, 17],
    [60 * 24 * 365, 60 * 24 * 29],
  ])('that should expire in %i minutes expires in %i', async (asked, got) => {
    valueOf(await fixture.gateway.createOrder({ ...fixture.newOrder(), expiresAt: after(asked) }));
    const [made] = await fixture.calls('create-order');
    expect(made?.body?.['order_expiry_time']).toBe(after(got).toISOString());
  });

  test('is refused where its life is too short for Cashfree', async () => {
    const impatient = fixture.open({ CASHFREE_MIN_EXPIRY_SECONDS: '0' });
    const asked = { ...fixture.newOrder(), expiresAt: after(8) };
    expect(await impatient.createOrder(asked)).toMatchObject({
      kind: 'refused',
      code: 'GATEWAY_REFUSED',
      message: expect.stringContaining('order_expiry_time_invalid'),
    });
  });

  test('takes no payment once it has expired', async () => {
    const order = valueOf(
      await fixture.gateway.createOrder({ ...fixture.newOrder(), expiresAt: after(20) }),
    );
    await fixture.control('POST', '/clock', { advanceSeconds: 21 * 60 });
    expect(valueOf(await fixture.gateway.getOrder(order.gatewayOrderId)).status).toBe('CLOSED');
    await expect(fixture.pay(order)).rejects.toThrow('400');
  });

  test('of a repeat with another expiry is the one that was made', async () => {
    const asked = { ...fixture.newOrder(), expiresAt: after(8) };
    const order = valueOf(await fixture.gateway.createOrder(asked));
    fixture.clock.set(after(1));
    expect(valueOf(await fixture.gateway.createOrder(asked))).toEqual(order);
    expect(await fixture.calls('create-order')).toMatchObject([{}, { status: 422 }]);
  });

  test('that is taken, yet not to be found, is undecided', async () => {
    await fixture.fault('create-order', 'error', { status: 409 });
    expect(await fixture.gateway.createOrder(fixture.newOrder())).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('the amount of a payment', () => {
  test('is what the customer paid, not what the order asked for', async () => {
    const { order, first } = await fixture.capture({ amountPaise: 99_999 });
    expect(first.body).toContain('"order_amount":1000.50');
    expect(fixture.verify(first)).toMatchObject({ event: { amountPaise: 99_999n } });
    expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { amountPaise: 99_999n, status: 'CAPTURED' },
    ]);
  });

  test.each(['170', '170.0', '170.00', '170.000'])('reads %s', (text) => {
    const { rawBody } = signed({
      type: 'PAYMENT_SUCCESS_WEBHOOK',
      event_time: '2026-01-05T09:30:00+05:30',
      data: {
        order: { order_id: 'order-1' },
        payment: { cf_payment_id: 1, payment_amount: 'AMOUNT', payment_currency: 'INR' },
      },
    });
    const body = rawBody.toString('utf8').replace('"AMOUNT"', text);
    const event = fixture.verify(fixture.signed(body));
    expect(event).toMatchObject({ valid: true, event: { kind: 'captured', amountPaise: 17_000n } });
  });
});

/** The data of a dispute's event. */
const dispute = (status: string) => ({
  dispute: { dispute_id: '433475258', dispute_amount: 3, dispute_status: status },
  order_details: { order_id: 'order-1', cf_payment_id: '5114' },
});

describe('an event', () => {
  const payment = {
    order: { order_id: 'order-1', order_amount: 2 },
    payment: {
      cf_payment_id: '5114',
      payment_status: 'SUCCESS',
      payment_amount: 1,
      payment_currency: 'INR',
      payment_group: 'credit_card',
    },
  };
  const charge = {
    payment_id: 'order-1',
    cf_payment_id: '49585655',
    payment_type: 'CHARGE',
    payment_amount: 399.5,
    payment_currency: 'INR',
  };
  const refund = {
    cf_refund_id: 11_325_632,
    cf_payment_id: 789_727_431,
    order_id: 'order-1',
    refund_amount: 2,
    refund_status: 'SUCCESS',
  };
  test.each([
    ['PAYMENT_SUCCESS_WEBHOOK', payment, 'captured'],
    ['PAYMENT_FAILED_WEBHOOK', payment, 'failed'],
    ['PAYMENT_USER_DROPPED_WEBHOOK', payment, 'failed'],
    ['PAYMENT_CHARGES_WEBHOOK', payment, 'other'],
    ['constructor', payment, 'other'],
    ['SUBSCRIPTION_PAYMENT_SUCCESS', charge, 'captured'],
    ['SUBSCRIPTION_PAYMENT_FAILED', charge, 'failed'],
    ['SUBSCRIPTION_PAYMENT_CANCELLED', charge, 'failed'],
    ['SUBSCRIPTION_PAYMENT_SUCCESS', { ...charge, payment_type: 'AUTH' }, 'other'],
    ['REFUND_STATUS_WEBHOOK', { refund }, 'refunded'],
    ['AUTO_REFUND_STATUS_WEBHOOK', { auto_refund: { ...refund, order_id: null } }, 'refunded'],
    ['SUBSCRIPTION_REFUND_STATUS', { ...refund, payment_id: 'order-1' }, 'refunded'],
    ['DISPUTE_CLOSED', dispute('DISPUTE_MERCHANT_LOST'), 'dispute_lost'],
    ['DISPUTE_UPDATED', dispute('CHARGEBACK_MERCHANT_ACCEPTED'), 'dispute_lost'],
  ])('%s is read: %#', (type, data, kind) => {
    expect(read(type, data)).toMatchObject({ kind, name: type });
  });

  test.each([
    ['REFUND_STATUS_WEBHOOK', { refund: { ...refund, refund_status: 'PENDING' } }],
    ['REFUND_STATUS_WEBHOOK', { refund: { ...refund, refund_status: 'CANCELLED' } }],
    ['DISPUTE_CREATED', dispute('DISPUTE_CREATED')],
    ['DISPUTE_CLOSED', dispute('DISPUTE_MERCHANT_WON')],
    ['DISPUTE_UPDATED', dispute('CHARGEBACK_INSUFFICIENT_EVIDENCE')],
    ['SUBSCRIPTION_STATUS_CHANGED', { subscription_details: {} }],
  ])('%s takes nothing away: %#', (type, data) => {
    expect(['other', 'unreadable']).toContain(read(type, data)?.kind);
  });

  test('names its order, its payment and its reference', () => {
    expect(read('REFUND_STATUS_WEBHOOK', { refund })).toEqual({
      kind: 'refunded',
      name: 'REFUND_STATUS_WEBHOOK',
      gatewayOrderId: 'order-1',
      gatewayPaymentId: '789727431',
      reference: '11325632',
      amountPaise: fromSafePaise(200),
      occurredAt: new Date('2026-01-05T04:00:00.000Z'),
    });
  });

  test('of money that was only authorised is no capture', () => {
    const held = { ...payment, payment: { ...payment.payment, is_captured: false } };
    expect(read('PAYMENT_SUCCESS_WEBHOOK', held)).toMatchObject({ kind: 'other' });
  });

  test('is accepted however old its timestamp is, and under none that is no number', () => {
    const webhook = signed({ any: 1 });
    expect(fixture.gateway.verifyWebhook(webhook).valid).toBe(true);
    for (const timestamp of [undefined, '', 'yesterday', '-1', ['1767585600000']]) {
      const headers = { ...webhook.headers, 'x-webhook-timestamp': timestamp };
      expect(fixture.gateway.verifyWebhook({ ...webhook, headers }).valid).toBe(false);
    }
  });
});

describe('a checkout', () => {
  test('is proved by one of its payments or by its own id, whatever its signature', async () => {
    const [order, other] = [await fixture.create(), await fixture.create()];
    const { gateway_payment_id: paymentId } = await fixture.pay(order);
    const prove = async (gatewayOrderId: string, gatewayPaymentId: string) =>
      valueOf(
        await fixture.gateway.verifyCheckout({
          gatewayOrderId,
          gatewayPaymentId,
          signature: 'any',
        }),
      );
    expect(await prove(order.gatewayOrderId, paymentId)).toBe(true);
    expect(await prove(order.gatewayOrderId, order.gatewayOrderId)).toBe(true);
    expect(await prove(other.gatewayOrderId, paymentId)).toBe(false);
    expect(await prove(other.gatewayOrderId, order.gatewayOrderId)).toBe(false);
  });

  test('cannot be proved while Cashfree does not answer', async () => {
    const order = await fixture.create();
    await fixture.fault('list-payments', 'error', { times: 3 });
    const proof = {
      gatewayOrderId: order.gatewayOrderId,
      gatewayPaymentId: order.gatewayOrderId,
      signature: 'any',
    };
    expect(await fixture.gateway.verifyCheckout(proof)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a debit', () => {
  test("under another customer's mandate is refused, and nothing is charged", async () => {
    const subscription = { subscription_id: 'mandate-theirs' };
    await call('POST', '/subscriptions', {
      ...subscription,
      customer_details: { customer_phone: '9123456780' },
    });
    const asked = { ...fixture.newOrder(), mandateToken: 'mandate-theirs' };
    const order = valueOf(await fixture.gateway.createOrder(asked));
    const debited = await fixture.debit(order, 'theirs', 'debit-1');
    expect(debited).toMatchObject({ kind: 'refused', code: 'GATEWAY_REFUSED' });
    expect(await fixture.calls('debit')).toEqual([]);
    expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toEqual([]);
  });

  test('of a mandate that nobody gave is refused', async () => {
    expect(await fixture.debit(await fixture.create(), 'unknown', 'debit-1')).toMatchObject({
      kind: 'refused',
      code: 'GATEWAY_NOT_FOUND',
    });
  });

  test('that was taken under another key is found, and not made again', async () => {
    const order = await fixture.createMandated('stuck');
    const first = valueOf(await fixture.debit(order, 'stuck', 'debit-1'));
    expect(valueOf(await fixture.debit(order, 'stuck', 'debit-2'))).toEqual(first);
    expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { gatewayPaymentId: first.gatewayDebitId, status: 'PENDING' },
    ]);
  });
});

test('refunds of a charge cannot be asked for, unlike those of a checkout', async () => {
  const order = await fixture.createMandated('paid');
  const { gatewayDebitId: gatewayPaymentId } = valueOf(
    await fixture.debit(order, 'paid', 'debit-1'),
  );
  const { gatewayOrderId } = order;
  await eventually(async () => {
    const [charge] = valueOf(await fixture.gateway.listPayments(gatewayOrderId));
    expect(charge?.status).toBe('CAPTURED');
  });
  const checkout = await fixture.pay(order);
  const ofCheckout = { gatewayPaymentId: checkout.gateway_payment_id, gatewayOrderId };
  expect(valueOf(await fixture.gateway.getRefunds(ofCheckout))).toEqual([]);
  const asked = () => fixture.gateway.getRefunds({ gatewayPaymentId, gatewayOrderId });
  expect(await asked()).toEqual(unknown(CANNOT_SAY));
  const charge = { gateway_payment_id: gatewayPaymentId, signature: '' };
  await fixture.reverse('refunds', charge, 150);
  expect(await asked()).toEqual(unknown(CANNOT_SAY));
});

test('refunds cannot be asked for without the order', async () => {
  const payment = { gatewayPaymentId: '5114', gatewayOrderId: null };
  expect(await fixture.gateway.getRefunds(payment)).toMatchObject({ kind: 'unknown' });
});
