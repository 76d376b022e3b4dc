import { describe, expect } from 'vitest';
import { z } from 'zod';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { Play } from '#test/support/sandbox-controls.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey, placedOf, type TestCustomer } from '#test/support/test-customer.ts';

const it = runningTest();
it.beforeAll(async ({ system }) => {
  // With a second worker, the sweeps for lost captures and expiry run twice at the same time.
  await system.startWorker();
});

const gatewayFault = (system: RunningSystem, operation: string, kind: string, options = {}) =>
  system.sandbox.fault('sandbox-gateway', operation, kind, options);

const buyAndPay = async (system: RunningSystem, play: Play) => {
  const buyer = await system.newCustomer();
  const buy = await buyer.buy('1000');
  const payment = await system.sandbox.pay(buy.gatewayOrderId, play);
  return { buyer, buy, payment };
};

const ordersOf = (system: RunningSystem, { userId }: TestCustomer) =>
  system.query<{
    id: string;
    status: string;
    payment_id: string;
    payment_status: string;
    gateway_order_id: string | null;
  }>(
    `SELECT o.id, o.status, p.id AS payment_id, p.status AS payment_status, p.gateway_order_id
     FROM gold_order o JOIN payment_order p ON p.order_id = o.id WHERE o.user_id = $1::uuid`,
    userId,
  );

const happy = ['>PENDING', 'PENDING>PAID', 'PAID>ALLOCATED'];

describe('a webhook that never came', () => {
  it('the capture is found by the checkout of the customer', async ({ system }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const answer = await buyer.verify(buy.paymentOrderId, payment);
    expect(answer).toMatchObject({
      status: 200,
      body: { verified: true, payment: { id: buy.paymentOrderId, status: 'PAID' } },
    });
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('the capture is found by the sweep while the lock stands', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system, { deliver: 'none' });
    await system.advance(300);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('a capture found after the lock has ended is LATE_CAPTURE', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system, { deliver: 'none' });
    await system.advance(490);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'LATE_CAPTURE' });
    expect((await buyer.payment(buy.paymentOrderId)).status).toBe('PAID');
    expect(await system.purchases(buy.txId)).toBe(0);
  });

  it('the checkout racing the webhooks: one allocation', async ({ system }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const api = system.stack.urlOf('customer');
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => buyer.verify(buy.paymentOrderId, payment)),
      system.sandbox.sendWebhook(api, 'payment.captured', payment),
      system.sandbox.sendWebhook(api, 'order.paid', payment),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });
});

describe('what a checkout claims', () => {
  it('a wrong signature: 400, nothing written', async ({ system }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const before = await system.fingerprint();
    const signature = 'f'.repeat(64);
    const answer = await buyer.verify(buy.paymentOrderId, { ...payment, signature });
    expect(answer).toMatchObject({ status: 400, code: 'SIGNATURE_MISMATCH' });
    expect(await system.fingerprint()).toEqual(before);
    await buyer.verify(buy.paymentOrderId, payment);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
  });

  it('a response for another order: 400, nothing written', async ({ system }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    await buyer.verify(buy.paymentOrderId, payment);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    const other = await buyAndPay(system, { deliver: 'none' });
    const before = await system.fingerprint();
    const answer = await buyer.verify(buy.paymentOrderId, other.payment);
    expect(answer).toMatchObject({ status: 400, code: 'PAYMENT_MISMATCH' });
    expect(await system.fingerprint()).toEqual(before);
    await other.buyer.verify(other.buy.paymentOrderId, other.payment);
    await other.buyer.becomes(other.buy.orderId, 'ALLOCATED');
  });

  it("somebody else's payment order does not exist", async ({ system }) => {
    const { buyer, buy, payment } = await buyAndPay(system, {});
    const otherCustomer = await system.newCustomer();
    const answer = await otherCustomer.verify(buy.paymentOrderId, payment);
    expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect((await otherCustomer.call('GET', `/payments/orders/${buy.paymentOrderId}`)).status).toBe(
      404,
    );
    expect((await otherCustomer.call('GET', `/gold/orders/${buy.orderId}`)).status).toBe(404);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
  });

  it('a match is not payment: a payment that failed pays nothing', async ({ system }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { outcome: 'failed', deliver: 'none' });
    const answer = await buyer.verify(buy.paymentOrderId, payment);
    expect(answer).toMatchObject({ status: 200, body: { verified: true } });
    expect((await buyer.order(buy.orderId)).status).not.toBe('PAID');
    expect(await system.purchases(buy.txId)).toBe(0);
  });

  it('while the gateway does not answer: the payment order as it is, found later', async ({
    system,
  }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    await gatewayFault(system, 'list-payments', 'error', { times: 3 });
    const answer = await buyer.verify(buy.paymentOrderId, payment);
    expect(answer).toMatchObject({
      status: 200,
      body: { payment: { status: 'GATEWAY_ORDER_CREATED' } },
    });
    await system.sandbox.clearFaults();
    await buyer.verify(buy.paymentOrderId, payment);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
  });
});

describe('an order that nobody pays in time', () => {
  it('expires, and a capture after that is LATE_CAPTURE without gold', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    await system.advance(490);
    await buyer.becomes(buy.orderId, 'FAILED');
    expect(await buyer.payment(buy.paymentOrderId)).toMatchObject({ status: 'EXPIRED' });
    expect((await buyer.payment(buy.paymentOrderId)).checkout).toBeUndefined();
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'LATE_CAPTURE' });
    expect((await buyer.payment(buy.paymentOrderId)).status).toBe('PAID');
    expect(await system.purchases(buy.txId)).toBe(0);
  });

  it('late and of another amount: the amount goes first', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    await system.advance(490);
    await system.sandbox.pay(buy.gatewayOrderId, { amountPaise: 7 });
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'AMOUNT_MISMATCH' });
    expect(await system.purchases(buy.txId)).toBe(0);
  });

  it('failed, then captured after the lock: LATE_CAPTURE', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system, { outcome: 'failed' });
    await buyer.becomes(buy.orderId, 'FAILED');
    await system.advance(490);
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'LATE_CAPTURE' });
    expect(await system.purchases(buy.txId)).toBe(0);
  });

  it('is not given up while its gateway does not answer', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    await gatewayFault(system, 'list-payments', 'reset', { times: 1000 });
    await system.advance(490);
    const asked = await system.sandbox.journal('list-payments', buy.gatewayOrderId);
    await eventually(async () => {
      const since = await system.sandbox.journal('list-payments', buy.gatewayOrderId);
      expect(since.length).toBeGreaterThan(asked.length);
    });
    expect((await buyer.order(buy.orderId)).status).toBe('PENDING');
    await system.sandbox.clearFaults();
    await buyer.becomes(buy.orderId, 'FAILED');
  });
});

describe('a gateway that does not open the order', () => {
  it.for([
    ['an error', 'error', {}, 2],
    ['no answer', 'timeout', {}, 2],
    ['a cut connection', 'reset', {}, 2],
    ['accepted, then no answer', 'accept_then_timeout', {}, 1],
    ['an answer that cannot be read', 'malformed', {}, 1],
  ] as const)(
    '%s, once: asked by the receipt, and one order opened',
    async ([_name, kind, more, calls], { system }) => {
      const buyer = await system.newCustomer();
      await gatewayFault(system, 'create-order', kind, more);
      const buy = await buyer.buy('1000');
      const created = await system.sandbox.journal('create-order', buy.paymentOrderId);
      expect(created).toHaveLength(calls);
      await system.sandbox.pay(buy.gatewayOrderId);
      await buyer.becomes(buy.orderId, 'ALLOCATED');
    },
  );

  it('down: 503, and the same key resumes the same order', async ({ system }) => {
    const buyer = await system.newCustomer();
    const key = newKey();
    await gatewayFault(system, 'create-order', 'accept_then_timeout');
    await gatewayFault(system, 'get-order', 'reset', { times: 3 });
    const refused = await buyer.requestBuy('1000', key);
    expect(refused).toMatchObject({ status: 503, code: 'NO_USABLE_GATEWAY' });
    const [waiting] = await ordersOf(system, buyer);
    expect(waiting).toMatchObject({ status: 'PENDING', payment_status: 'CREATED' });
    await system.sandbox.clearFaults();
    expect(await buyer.requestBuy('1001', key)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const resumed = await eventually(async () => {
      const answer = await buyer.requestBuy('1000', key);
      expect(answer.status).toBeLessThan(300);
      return placedOf(answer.body, key);
    });
    expect(resumed.orderId).toBe(waiting?.id);
    expect(await ordersOf(system, buyer)).toHaveLength(1);
    expect(await system.sandbox.journal('create-order', resumed.paymentOrderId)).toHaveLength(1);
    await system.sandbox.pay(resumed.gatewayOrderId);
    await buyer.becomes(resumed.orderId, 'ALLOCATED');
  });

  it('another amount than was asked for: aborted, 502', async ({ system }) => {
    const buyer = await system.newCustomer();
    await gatewayFault(system, 'create-order', 'wrong_amount');
    const answer = await buyer.requestBuy('1000');
    expect(answer).toMatchObject({ status: 502, code: 'GATEWAY_MISMATCH' });
    const [order] = await ordersOf(system, buyer);
    expect(order).toMatchObject({ status: 'FAILED', payment_status: 'FAILED' });
    // Should the money come all the same, it is not lost.
    await system.sandbox.pay(order?.gateway_order_id ?? '');
    await buyer.becomes(order?.id ?? '', 'ALLOCATED');
  });

  it('opened unseen and paid: the money finds its order by the receipt', async ({ system }) => {
    const buyer = await system.newCustomer();
    await gatewayFault(system, 'create-order', 'accept_then_timeout');
    await gatewayFault(system, 'get-order', 'reset', { times: 3 });
    expect((await buyer.requestBuy('1000')).status).toBe(503);
    const [order] = await ordersOf(system, buyer);
    expect(order).toMatchObject({ payment_status: 'CREATED', gateway_order_id: null });
    await system.sandbox.clearFaults();
    const [opened] = await system.sandbox.journal('create-order', order?.payment_id);
    const { id } = z.object({ id: z.string() }).parse(opened?.response);
    await system.sandbox.pay(id);
    await eventually(async () => {
      const events = await system.query('SELECT 1 FROM webhook_event WHERE subject = $1', id);
      expect(events).toHaveLength(2);
    });
    await system.advance(300);
    await buyer.becomes(order?.id ?? '', 'ALLOCATED');
    const [found] = await ordersOf(system, buyer);
    expect(found).toMatchObject({ payment_status: 'PAID', gateway_order_id: id });
  });

  it('a refusal: 503, and the order waits for a repeat', async ({ system }) => {
    const buyer = await system.newCustomer();
    await gatewayFault(system, 'create-order', 'error', { status: 400 });
    const answer = await buyer.requestBuy('1000');
    expect(answer).toMatchObject({ status: 503, code: 'NO_USABLE_GATEWAY' });
    const [order] = await ordersOf(system, buyer);
    expect(order).toMatchObject({ status: 'PENDING', payment_status: 'CREATED' });
  });
});
