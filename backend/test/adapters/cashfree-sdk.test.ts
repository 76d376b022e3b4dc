import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/apps/sandbox/start-sandbox.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import {
  receiveWebhooks,
  type WebhookReceiver,
} from '../../src/apps/sandbox/testing/webhook-receiver.ts';
import { eventually } from '#test/support/eventually.ts';
import { Cashfree, CFEnvironment } from 'cashfree-pg';

/*
 * Cashfree's own SDK against the sandbox's Cashfree, so that the sandbox is held to something that
 * was not written here. It talks to loopback alone: its error analytics are off.
 */

let sandbox: Sandbox;
let service: WebhookReceiver;
let cashfree: Cashfree;

beforeAll(async () => {
  service = await receiveWebhooks();
  sandbox = await startSandbox({
    customerBaseUrl: service.url,
    settleMs: 20,
    addsOddRows: false,
  });
  const { cashfreeClientId: id, cashfreeClientSecret: secret } = sandboxDefaults;
  const none = undefined;
  cashfree = new Cashfree(CFEnvironment.SANDBOX, id, secret, none, none, none, false);
  cashfree.basePath = `${sandbox.url}/cashfree/pg`;
});
afterAll(async () => {
  await sandbox.stop();
  await service.stop();
});

const customer = { customer_id: 'customer1', customer_phone: '9876543210' };
const order = (id: string) => ({
  order_id: id,
  order_amount: 1170.5,
  order_currency: 'INR',
  customer_details: customer,
  order_expiry_time: new Date(Date.now() + 3_600_000).toISOString(),
});

const control = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
  const response = await fetch(`${sandbox.url}/_control${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // The controls' forms are the sandbox's own, checked by its own tests.
  return (await response.json()) as Readonly<Record<string, string>>;
};

describe("Cashfree's SDK", () => {
  test('creates an order and fetches it', async () => {
    const { data: made } = await cashfree.PGCreateOrder(order('sdk-1'), 'request-1', 'key-1');
    expect(made).toMatchObject({
      order_id: 'sdk-1',
      order_amount: 1170.5,
      order_status: 'ACTIVE',
      payment_session_id: expect.stringMatching(/^session_/u),
      customer_details: customer,
    });
    const { data: fetched } = await cashfree.PGFetchOrder('sdk-1');
    expect(fetched).toEqual(made);
    await expect(cashfree.PGFetchOrder('nobody')).rejects.toMatchObject({
      response: { status: 404, data: { code: 'order_not_found' } },
    });
    await expect(cashfree.PGCreateOrder(order('sdk-1'))).rejects.toMatchObject({
      response: { status: 409, data: { code: 'order_already_exists' } },
    });
  });

  test('reads payments, refunds and disputes', async () => {
    await cashfree.PGCreateOrder(order('sdk-2'));
    const paid = await control('/payments/sdk-2', { outcome: 'captured', deliver: 'none' });
    const paymentId = paid['gateway_payment_id'] ?? '';
    const { data: payments } = await cashfree.PGOrderFetchPayments('sdk-2');
    expect(payments).toMatchObject([
      {
        cf_payment_id: paymentId,
        order_id: 'sdk-2',
        payment_status: 'SUCCESS',
        payment_amount: 1170.5,
        is_captured: true,
      },
    ]);
    await control(`/refunds/${paymentId}`, { amountPaise: 17_000, deliver: 'none' });
    const { data: refunds } = await cashfree.PGOrderFetchRefunds('sdk-2');
    expect(refunds).toMatchObject([
      { cf_payment_id: paymentId, refund_amount: 170, refund_status: 'SUCCESS' },
    ]);
    await control(`/disputes/${paymentId}`, { amountPaise: 250, deliver: 'none' });
    const { data: disputes } = await cashfree.PGFetchPaymentDisputes(Number(paymentId));
    expect(disputes).toMatchObject([
      { dispute_amount: 2.5, dispute_status: 'CHARGEBACK_MERCHANT_LOST' },
    ]);
    expect((await cashfree.PGFetchOrder('sdk-2')).data.order_status).toBe('PAID');
  });

  test('charges a subscription and fetches the charge', async () => {
    await cashfree.PGCreateOrder({ ...order('sdk-3'), order_tags: { subscription_id: 'sub-1' } });
    const { data: charge } = await cashfree.SubsCreatePayment({
      subscription_id: 'sub-1',
      payment_id: 'sdk-3',
      payment_type: 'CHARGE',
      payment_amount: 1170.5,
      payment_schedule_date: '2026-01-05',
    });
    expect(charge).toMatchObject({ payment_id: 'sdk-3', payment_status: 'PENDING' });
    await eventually(async () => {
      const { data } = await cashfree.SubsFetchSubscriptionPayment('sub-1', 'sdk-3');
      expect(data).toMatchObject({
        cf_payment_id: charge.cf_payment_id,
        payment_status: 'SUCCESS',
      });
    });
  });

  test('verifies the webhooks that the sandbox sends', async () => {
    await cashfree.PGCreateOrder(order('sdk-4'));
    const before = service.received.length;
    await control('/payments/sdk-4', { outcome: 'captured', amountPaise: 17_000 });
    await eventually(() => expect(service.received.length).toBe(before + 1));
    const webhook = service.received.at(-1);
    const header = (name: string): string => String(webhook?.headers[name]);
    const signature = header('x-webhook-signature');
    const timestamp = header('x-webhook-timestamp');
    const raw = webhook?.raw ?? '';
    expect(webhook?.path).toBe('/v1/webhooks/payment/cashfree');
    expect(raw).toContain('"payment_amount":170.00');
    const event = cashfree.PGVerifyWebhookSignature(signature, raw, timestamp);
    expect(event).toMatchObject({
      type: 'PAYMENT_SUCCESS_WEBHOOK',
      object: { data: { order: { order_id: 'sdk-4' }, payment: { payment_amount: 170 } } },
    });
    const printedAgain = JSON.stringify(JSON.parse(raw));
    expect(() => cashfree.PGVerifyWebhookSignature(signature, printedAgain, timestamp)).toThrow(
      'did not match',
    );
  });
});
