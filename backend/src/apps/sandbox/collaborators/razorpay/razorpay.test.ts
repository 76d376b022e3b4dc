import Razorpay from 'razorpay';
import { validatePaymentVerification } from 'razorpay/dist/utils/razorpay-utils.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { sandboxDefaults } from '../../sandbox-options.ts';
import { openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';
import { receiveWebhooks, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

const keySecret = sandboxDefaults.razorpayKeySecret;
const [webhookSecret = ''] = sandboxDefaults.razorpayWebhookSecrets;

let service: WebhookReceiver;
let open: OpenSandbox;
let sdk: Razorpay;
let start = 0;

/** The gateway's own SDK, which knows no other address than the real one, led to the sandbox. */
const openSdk = (url: string, secret = keySecret): Razorpay => {
  const opened = new Razorpay({ key_id: sandboxDefaults.razorpayKeyId, key_secret: secret });
  // An axios instance, which the SDK's types do not show.
  const { api } = opened as unknown as { api: { rq: { defaults: { baseURL: string } } } };
  api.rq.defaults.baseURL = `${url}/razorpay`;
  return opened;
};

const arrived = () => service.received.slice(start);
const events = () => arrived().map(({ event }) => event);

beforeAll(async () => {
  service = await receiveWebhooks();
  open = await openSandbox({ customerBaseUrl: service.url, settleMs: 30, webhookBackoffMs: [5] });
  sdk = openSdk(open.url);
});
beforeEach(async () => {
  await open.control('POST', '/reset');
  start = service.received.length;
});
afterAll(async () => {
  await open.stop();
  await service.stop();
});

const newOrder = (receipt = 'receipt-1', amount = 100_050) =>
  sdk.orders.create({ amount, currency: 'INR', receipt, notes: { plan: 'one' } });

const pay = async (orderId: string, play: object = {}) => {
  const body = { outcome: 'captured', deliver: 'none', ...play };
  const played = await open.control('POST', `/payments/${orderId}`, body);
  return {
    id: String(played.body['gateway_payment_id']),
    signature: String(played.body['signature']),
  };
};

describe("Razorpay's own SDK", () => {
  it('needs the right key', async () => {
    await expect(openSdk(open.url, 'dev-only-another-secret').orders.all()).rejects.toMatchObject({
      statusCode: 401,
      error: { code: 'BAD_REQUEST_ERROR' },
    });
  });

  it('makes orders, finds them and sees them paid', async () => {
    const order = await newOrder();
    expect(order).toMatchObject({
      id: expect.stringMatching(/^order_\w+$/u),
      entity: 'order',
      amount: 100_050,
      amount_paid: 0,
      amount_due: 100_050,
      currency: 'INR',
      receipt: 'receipt-1',
      status: 'created',
      attempts: 0,
      notes: { plan: 'one' },
      created_at: expect.any(Number),
    });
    expect(await sdk.orders.fetch(order.id)).toEqual(order);
    await newOrder('receipt-2');
    const found = { entity: 'collection', count: 1, items: [order] };
    expect(await sdk.orders.all({ receipt: 'receipt-1' })).toEqual(found);
    expect((await sdk.orders.all({ count: 1, skip: 1 })).items).toEqual([order]);
    await pay(order.id, { outcome: 'failed' });
    expect(await sdk.orders.fetch(order.id)).toMatchObject({ status: 'attempted', attempts: 1 });
    await pay(order.id);
    expect(await sdk.orders.fetch(order.id)).toMatchObject({
      status: 'paid',
      amount_paid: 100_050,
      amount_due: 0,
    });
  });

  it('is told what is wrong with a request', async () => {
    await newOrder();
    await expect(newOrder()).rejects.toMatchObject({
      statusCode: 400,
      error: { description: 'Order receipt should be unique.', field: 'receipt' },
    });
    await expect(newOrder('receipt-2', 99)).rejects.toMatchObject({ error: { field: 'amount' } });
    await expect(newOrder('r'.repeat(41))).rejects.toMatchObject({ error: { field: 'receipt' } });
    const unknown = { statusCode: 400, error: { description: 'The id provided does not exist' } };
    await expect(sdk.orders.fetch('order_x')).rejects.toMatchObject(unknown);
    await expect(sdk.orders.fetchPayments('order_x')).rejects.toMatchObject(unknown);
    await expect(sdk.payments.fetch('pay_x')).rejects.toMatchObject(unknown);
    await expect(sdk.payments.fetchMultipleRefund('pay_x')).rejects.toMatchObject(unknown);
    await expect(sdk.refunds.fetch('rfnd_x')).rejects.toMatchObject(unknown);
    await expect(sdk.disputes.fetch('disp_x')).rejects.toMatchObject(unknown);
  });

  it('reads payments, each with what it was made with', async () => {
    const order = await newOrder();
    await pay(order.id, { outcome: 'failed', method: 'netbanking' });
    const { id } = await pay(order.id, { method: 'upi' });
    const { items } = await sdk.orders.fetchPayments(order.id);
    expect(items).toMatchObject([
      { id, status: 'captured', captured: true, vpa: expect.any(String), error_code: null },
      { status: 'failed', captured: false, bank: 'HDFC', error_code: 'BAD_REQUEST_ERROR' },
    ]);
    expect(await sdk.payments.fetch(id)).toEqual(items[0]);
  });

  it('refunds, and reads refunds', async () => {
    const order = await newOrder();
    const { id } = await pay(order.id);
    const part = await sdk.payments.refund(id, { amount: 50 });
    expect(part).toMatchObject({ entity: 'refund', amount: 50, payment_id: id, currency: 'INR' });
    expect(await sdk.payments.fetch(id)).toMatchObject({
      status: 'captured',
      amount_refunded: 50,
      refund_status: 'partial',
    });
    const rest = await sdk.payments.refund(id, {});
    expect(rest.amount).toBe(100_000);
    expect(await sdk.payments.fetch(id)).toMatchObject({
      status: 'refunded',
      refund_status: 'full',
    });
    await expect(sdk.payments.refund(id, { amount: 1 })).rejects.toMatchObject({ statusCode: 400 });
    expect(await sdk.refunds.fetch(part.id)).toEqual(part);
    expect(await sdk.payments.fetchRefund(id, part.id)).toEqual(part);
    expect((await sdk.payments.fetchMultipleRefund(id)).items).toEqual([rest, part]);
    await eventually(() => expect(events()).toEqual(['refund.processed', 'refund.processed']));
  });

  it('reads disputes, page by page', async () => {
    const order = await newOrder();
    const payments = [await pay(order.id), await pay(order.id)];
    for (const { id } of payments) await open.control('POST', `/disputes/${id}`, {});
    const { items } = await sdk.disputes.all({ count: 2 });
    expect(new Set(items.map((one) => one.payment_id))).toEqual(
      new Set(payments.map(({ id }) => id)),
    );
    const [first] = items;
    expect(first).toMatchObject({ entity: 'dispute', amount_deducted: 100_050, status: 'lost' });
    expect(await sdk.disputes.fetch(first?.id ?? '')).toEqual(first);
    expect((await sdk.disputes.all({ count: 5, skip: 1 })).items).toHaveLength(1);
  });

  it('takes the signature of the checkout, and of no other payment', async () => {
    const order = await newOrder();
    const { id, signature } = await pay(order.id);
    const proof = { order_id: order.id, payment_id: id };
    expect(validatePaymentVerification(proof, signature, keySecret)).toBe(true);
    const other = { ...proof, payment_id: 'pay_other' };
    expect(validatePaymentVerification(other, signature, keySecret)).toBe(false);
  });

  it('takes the signatures of the webhooks, in the form of their pages', async () => {
    const order = await newOrder();
    const { id } = await pay(order.id, { deliver: 'webhook', method: 'card' });
    await pay(order.id, { outcome: 'failed', deliver: 'webhook' });
    await open.control('POST', `/refunds/${id}`, { amountPaise: 50 });
    await open.control('POST', `/disputes/${id}`, { amountPaise: 70 });
    const expected = [
      ['order.paid', ['payment', 'order']],
      ['payment.captured', ['payment']],
      ['payment.dispute.lost', ['payment', 'dispute']],
      ['payment.failed', ['payment']],
      ['refund.processed', ['refund', 'payment']],
    ];
    await eventually(() => expect(events().toSorted()).toEqual(expected.map(([name]) => name)));
    for (const { raw, headers, path, event } of arrived()) {
      expect(path).toBe('/v1/webhooks/payment/razorpay');
      const signature = String(headers['x-razorpay-signature']);
      expect(Razorpay.validateWebhookSignature(raw, signature, webhookSecret)).toBe(true);
      expect(Razorpay.validateWebhookSignature(`${raw} `, signature, webhookSecret)).toBe(false);
      const parts = expected.find(([name]) => name === event)?.[1];
      expect(JSON.parse(raw)).toMatchObject({
        entity: 'event',
        event,
        contains: parts,
        payload: { payment: { entity: { order_id: order.id } } },
        created_at: expect.any(Number),
      });
    }
    const ids = new Set(arrived().map(({ headers }) => headers['x-razorpay-event-id']));
    expect(ids.size).toBe(expected.length);
  });

  it('charges a mandate, whose payment is there from the start', async () => {
    const order = await newOrder();
    const charge = {
      email: 'a@example.com',
      contact: '9876543210',
      amount: 100_050,
      currency: 'INR',
      order_id: order.id,
      customer_id: 'cust_asha',
      token: 'token_good',
      recurring: '1',
      notes: { debit_key: 'debit-1' },
    };
    const made = await sdk.payments.createRecurringPayment(charge);
    const id = String(made.razorpay_payment_id);
    expect(await sdk.payments.fetch(id)).toMatchObject({
      status: expect.stringMatching(/^(?:created|captured)$/u),
      token_id: 'token_good',
      notes: { debit_key: 'debit-1' },
    });
    await eventually(async () => {
      expect(await sdk.payments.fetch(id)).toMatchObject({ status: 'captured' });
    });
    await expect(sdk.payments.createRecurringPayment(charge)).rejects.toMatchObject({
      error: { description: 'Order already paid' },
    });
    const dearer = { ...charge, order_id: (await newOrder('receipt-2')).id, amount: 100_051 };
    await expect(sdk.payments.createRecurringPayment(dearer)).rejects.toMatchObject({
      error: { field: 'amount' },
    });
    expect(await sdk.customers.fetch('cust_asha')).toMatchObject({ email: expect.any(String) });
    await expect(sdk.customers.fetch('nobody')).rejects.toMatchObject({ statusCode: 400 });
  });
});
