import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { hexHmac } from '../../core/credentials.ts';
import { sandboxDefaults } from '../../sandbox-options.ts';
import { createCaller, openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';
import { receiveWebhooks, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

let service: WebhookReceiver;
let open: OpenSandbox;
let start = 0;
let receipts = 0;

const arrived = () => service.received.slice(start);
const events = () => arrived().map(({ event }) => event);

beforeAll(async () => {
  service = await receiveWebhooks();
  open = await openSandbox({
    customerBaseUrl: service.url,
    settleMs: 30,
    webhookBackoffMs: [5, 5, 5],
  });
});

beforeEach(async () => {
  await open.control('POST', '/reset');
  start = service.received.length;
});

afterAll(async () => {
  await open.stop();
  await service.stop();
});

const newOrder = async (amountPaise = 500_000): Promise<string> => {
  receipts += 1;
  const body = { amount_paise: amountPaise, currency: 'INR', receipt: `receipt-${receipts}` };
  return String((await open.gateway('POST', '/v1/orders', body)).body['id']);
};
const pay = (orderId: string, play: object) => open.control('POST', `/payments/${orderId}`, play);
const paymentsOf = async (orderId: string) =>
  (await open.gateway('GET', `/v1/orders/${orderId}/payments`)).body['items'];

describe('orders', () => {
  it('needs the API key', async () => {
    const stranger = createCaller(`${open.url}/gateway`, { authorization: 'Basic eDp5' });
    const response = await stranger('GET', '/v1/orders/x');
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } });
  });

  it('makes one order of a receipt, found by id and by receipt', async () => {
    const body = {
      amount_paise: 123_456,
      currency: 'INR',
      receipt: 'a-receipt',
      expires_at: '2026-11-21T06:00:00.000Z',
    };
    const { body: made } = await open.gateway('POST', '/v1/orders', body);
    expect(made).toMatchObject({ ...body, status: 'created' });
    const again = await open.gateway('POST', '/v1/orders', { ...body, amount_paise: 1 });
    expect(again.body).toEqual(made);
    expect((await open.gateway('GET', `/v1/orders/${String(made['id'])}`)).body).toEqual(made);
    const found = await open.gateway('GET', '/v1/orders?receipt=a-receipt');
    expect(found.body).toEqual({ items: [made] });
    expect((await open.gateway('GET', '/v1/orders?receipt=b')).body).toEqual({ items: [] });
    expect((await open.gateway('GET', '/v1/orders/b')).status).toBe(404);
    expect((await open.gateway('GET', '/v1/orders/b/payments')).status).toBe(404);
  });

  it.each([
    ['amount_paise', 0],
    ['amount_paise', 1.5],
    ['currency', 'rupee'],
    ['receipt', ''],
    ['expires_at', 'soon'],
  ])('refuses an order whose %s is %s', async (field, value) => {
    const body = { amount_paise: 100, currency: 'INR', receipt: 'r', [field]: value };
    const response = await open.gateway('POST', '/v1/orders', body);
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST', field } },
    });
  });
});

describe('payments', () => {
  it('captures, signs for the customer, and sends both events', async () => {
    const orderId = await newOrder();
    const { body } = await pay(orderId, { outcome: 'captured', method: 'card' });
    const paymentId = String(body['gateway_payment_id']);
    const { gatewayKeySecret, gatewayWebhookSecrets } = sandboxDefaults;
    expect(body['signature']).toBe(hexHmac(gatewayKeySecret, `${orderId}|${paymentId}`));
    await eventually(() => expect(events().toSorted()).toEqual(['order.paid', 'payment.captured']));
    for (const webhook of arrived()) {
      expect(webhook.path).toBe('/v1/webhooks/payment/sandbox');
      expect(webhook.signature).toBe(hexHmac(gatewayWebhookSecrets[0] ?? '', webhook.raw));
      expect(webhook.data).toEqual({
        gateway_order_id: orderId,
        gateway_payment_id: paymentId,
        amount_paise: 500_000,
        currency: 'INR',
        method: 'card',
        status: 'captured',
      });
    }
    expect(new Set(arrived().map(({ eventId }) => eventId)).size).toBe(2);
    expect((await open.gateway('GET', `/v1/orders/${orderId}`)).body['status']).toBe('paid');
  });

  it('loses one of the two events where a fault says so, and answers calls as ever', async () => {
    const fault = { collaborator: 'sandbox-gateway', fault: 'lost_webhook' };
    expect((await open.control('POST', '/faults', fault)).status).toBe(201);
    const orderId = await newOrder();
    await pay(orderId, { outcome: 'captured' });
    await eventually(async () => {
      const { body } = await open.control('GET', '/webhooks');
      expect(body['deliveries']).toMatchObject([{ state: 'delivered' }, { state: 'lost' }]);
    });
    expect(events()).toHaveLength(1);
    expect((await open.control('GET', '/faults')).body).toEqual({ faults: [] });
    await pay(await newOrder(), { outcome: 'captured' });
    await eventually(() => expect(events()).toHaveLength(3));
  });

  it('fails, then captures, then captures again: several payments of one order', async () => {
    const orderId = await newOrder();
    await pay(orderId, { outcome: 'failed', deliver: 'none' });
    await pay(orderId, { outcome: 'captured', deliver: 'none' });
    await pay(orderId, { outcome: 'captured', deliver: 'none', amountPaise: 1, currency: 'USD' });
    expect(await paymentsOf(orderId)).toMatchObject([
      { order_id: orderId, status: 'failed', amount_paise: 500_000, currency: 'INR' },
      { status: 'captured', amount_paise: 500_000 },
      { status: 'captured', amount_paise: 1, currency: 'USD' },
    ]);
    const { body } = await open.control('GET', '/payments?limit=2');
    expect(body['items']).toMatchObject([
      { gateway_order_id: orderId, amount_paise: 1, currency: 'USD' },
      { gateway_order_id: orderId, amount_paise: 500_000, status: 'captured' },
    ]);
    expect((await open.control('GET', '/payments?limit=none')).status).toBe(400);
    expect(events()).toEqual([]);
  });

  it('sends one event of a failure', async () => {
    await pay(await newOrder(), { outcome: 'failed' });
    await eventually(() => expect(events()).toEqual(['payment.failed']));
  });

  it('duplicates: each event twice, with the same id and body', async () => {
    await pay(await newOrder(), { outcome: 'captured', deliver: 'duplicate' });
    await eventually(() => expect(events()).toHaveLength(4));
    expect(new Set(arrived().map(({ eventId }) => eventId)).size).toBe(2);
    expect(new Set(arrived().map(({ raw }) => raw)).size).toBe(2);
  });

  it('reorders: order.paid goes first', async () => {
    await pay(await newOrder(), { outcome: 'captured', deliver: 'reordered' });
    await eventually(() => expect(events()).toEqual(['order.paid', 'payment.captured']));
  });

  it('delays: what is sent later arrives later', async () => {
    const orderId = await newOrder();
    await pay(orderId, { outcome: 'failed', deliver: 'delayed', delayMs: 1500 });
    await pay(orderId, { outcome: 'captured' });
    await eventually(() => expect(events()).toHaveLength(3));
    expect(events()[2]).toBe('payment.failed');
  });

  it('sends again until it is accepted, the same event each time', async () => {
    service.answerNext(500, 404, 302);
    await pay(await newOrder(), { outcome: 'failed' });
    await eventually(() => expect(events()).toHaveLength(4));
    expect(new Set(arrived().map(({ eventId, raw }) => eventId + raw)).size).toBe(1);
    await eventually(async () => {
      const { body } = await open.control('GET', '/webhooks');
      const delivery = { event: 'payment.failed', state: 'delivered', attempts: 4 };
      expect(body['deliveries']).toMatchObject([delivery]);
    });
  });

  it('gives up at last', async () => {
    service.answerNext(500, 500, 500, 500);
    await pay(await newOrder(), { outcome: 'failed' });
    await eventually(async () => {
      const { body } = await open.control('GET', '/webhooks');
      expect(body['deliveries']).toMatchObject([{ state: 'given_up', attempts: 4 }]);
    });
  });

  it.each([
    ['outcome', 'maybe'],
    ['deliver', 'twice'],
    ['amountPaise', -1],
    ['currency', 'inr'],
  ])('refuses a play whose %s is %s', async (field, value) => {
    const response = await pay(await newOrder(), { outcome: 'captured', [field]: value });
    expect(response).toMatchObject({ status: 400, body: { error: { field } } });
  });

  it('knows no checkout of another', async () => {
    expect((await pay('order_of_nobody', { outcome: 'captured' })).status).toBe(404);
  });

  it('shows open checkouts alone', async () => {
    const paid = await newOrder();
    const unpaid = await newOrder();
    await pay(paid, { outcome: 'captured', deliver: 'none' });
    const { body } = await open.control('GET', '/checkouts');
    expect(body['items']).toMatchObject([{ gatewayOrderId: unpaid, isPaid: false }]);
  });
});

describe('refunds', () => {
  it('pays back a part, then the rest, and no more', async () => {
    const { body } = await pay(await newOrder(), { outcome: 'captured', deliver: 'none' });
    const paymentId = String(body['gateway_payment_id']);
    const path = `/refunds/${paymentId}`;
    const first = await open.control('POST', path, { amountPaise: 100_000 });
    await open.control('POST', path, {});
    const { body: listed } = await open.gateway('GET', `/v1/payments/${paymentId}/refunds`);
    expect(listed['items']).toMatchObject([
      { id: first.body['reference'], amount_paise: 100_000, status: 'processed' },
      { amount_paise: 400_000 },
    ]);
    const response = await open.control('POST', path, { amountPaise: 1 });
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'amountPaise' } } });
  });

  it('knows no payment of another, and pays back no failed one', async () => {
    expect((await open.gateway('GET', '/v1/payments/p/refunds')).status).toBe(404);
    expect((await open.control('POST', '/refunds/p', {})).status).toBe(404);
    const { body } = await pay(await newOrder(), { outcome: 'failed', deliver: 'none' });
    const path = `/refunds/${String(body['gateway_payment_id'])}`;
    expect((await open.control('POST', path, {})).status).toBe(400);
  });
});

describe('money that goes away', () => {
  it('is told with the amount and the reference, once, not at all or twice', async () => {
    const { body } = await pay(await newOrder(), { outcome: 'captured', deliver: 'none' });
    const paymentId = String(body['gateway_payment_id']);
    const refund = await open.control('POST', `/refunds/${paymentId}`, { amountPaise: 100 });
    const dispute = await open.control('POST', `/disputes/${paymentId}`, { deliver: 'duplicate' });
    await open.control('POST', `/refunds/${paymentId}`, { amountPaise: 200, deliver: 'none' });
    await eventually(() =>
      expect(events().toSorted()).toEqual(['dispute.lost', 'dispute.lost', 'refund.processed']),
    );
    expect(dispute.body).toMatchObject({ amountPaise: 500_000 });
    const told = arrived().find(({ event }) => event === 'refund.processed');
    expect(told?.data).toMatchObject({
      gateway_payment_id: paymentId,
      amount_paise: 100,
      reference: refund.body['reference'],
      status: 'processed',
    });
    const { body: listed } = await open.gateway('GET', `/v1/payments/${paymentId}/disputes`);
    expect(listed['items']).toMatchObject([
      { id: dispute.body['reference'], amount_paise: 500_000, status: 'lost' },
    ]);
    expect((await open.control('POST', `/disputes/${paymentId}`, {})).status).toBe(400);
    expect((await open.control('POST', '/disputes/p', {})).status).toBe(404);
    expect((await open.gateway('GET', '/v1/payments/p/disputes')).status).toBe(404);
  });
});

const debit = async (token: string, more: object = {}) => {
  const orderId = await newOrder(100_000);
  const body = { order_id: orderId, mandate_token: token, amount_paise: 100_000, ...more };
  const first = await open.gateway('POST', '/v1/debits', body);
  const again = await open.gateway('POST', '/v1/debits', body);
  expect(again.body['id']).toBe(first.body['id']);
  expect(first.body).toMatchObject({ order_id: orderId, status: 'pending', currency: 'INR' });
  expect(first.text).not.toContain(token);
  return orderId;
};

describe('debits under a mandate', () => {
  it('ends by itself, once, and sends its webhooks', async () => {
    const orderId = await debit('token-of-asha', { reference: 'installment-1' });
    await eventually(() => expect(events().toSorted()).toEqual(['order.paid', 'payment.captured']));
    expect(await paymentsOf(orderId)).toMatchObject([{ status: 'captured' }]);
  });

  it('fails for a token that says so', async () => {
    const orderId = await debit('token-that-will-fail');
    await eventually(() => expect(events()).toEqual(['payment.failed']));
    expect(await paymentsOf(orderId)).toMatchObject([{ status: 'failed' }]);
  });

  it('has no outcome for a token that is stuck', async () => {
    const stuck = await debit('token-that-is-stuck');
    await debit('token-of-asha');
    await eventually(() => expect(events()).toHaveLength(2));
    expect(await paymentsOf(stuck)).toEqual([]);
  });

  it('refuses a debit for no order', async () => {
    const body = { order_id: 'x', mandate_token: 't', amount_paise: 1 };
    expect((await open.gateway('POST', '/v1/debits', body)).status).toBe(404);
    const response = await open.gateway('POST', '/v1/debits', { ...body, mandate_token: '' });
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'mandate_token' } } });
  });
});
