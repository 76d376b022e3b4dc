import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { Play } from '#test/support/sandbox-controls.ts';
import { eventually } from '#test/support/eventually.ts';
import type { TestCustomer } from '#test/support/test-customer.ts';

/** With two replicas (and two workers): what the gateway sends may come to either. */
const it = runningTest()
  .extend('replicas', { scope: 'file' }, async ({ system }) => {
    const [second] = await Promise.all([system.startCustomer(), system.startWorker()]);
    return [system.stack.urlOf('customer'), second.url];
  })
  .extend(
    'replica',
    ({ replicas }) =>
      (n: number): string =>
        replicas[n % replicas.length] ?? '',
  );
// Tests that name no replica have both, too.
it.beforeAll(({ replicas: _replicas }) => undefined);

const eventsOf = (system: RunningSystem, gatewayOrderId: string) =>
  system.query<{ event_type: string; status: string }>(
    'SELECT event_type, status FROM webhook_event WHERE subject = $1 ORDER BY event_type',
    gatewayOrderId,
  );

/** A buy that the customer pays for as `play` says. */
const buyAndPay = async (system: RunningSystem, play: Play = {}, customer?: TestCustomer) => {
  const buyer = customer ?? (await system.newCustomer());
  const buy = await buyer.buy('1000');
  const payment = await system.sandbox.pay(buy.gatewayOrderId, play);
  return { buyer, buy, payment };
};

/** Lists the disposition of each captured payment of an order. */
const standingsOf = async (system: RunningSystem, gatewayOrderId: string): Promise<string[]> => {
  const rows = await system.query<{ standing: string }>(
    'SELECT standing FROM gateway_payment WHERE gateway_order_id = $1 ORDER BY standing',
    gatewayOrderId,
  );
  return rows.map(({ standing }) => standing);
};

const happy = ['>PENDING', 'PENDING>PAID', 'PAID>ALLOCATED'];

describe('the same payment told of again', () => {
  it('duplicate webhooks: one allocation', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system, { deliver: 'duplicate' });
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await eventually(async () =>
      expect(await eventsOf(system, buy.gatewayOrderId)).toHaveLength(2),
    );
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('reordered webhooks: order.paid before payment.captured', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system, { deliver: 'reordered' });
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await eventually(async () =>
      expect(await eventsOf(system, buy.gatewayOrderId)).toHaveLength(2),
    );
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('20 webhooks in parallel, all different: one allocation', async ({ system, replica }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        system.sandbox.sendWebhook(
          replica(n),
          n % 2 === 0 ? 'payment.captured' : 'order.paid',
          payment,
          { data: { attempt: n } },
        ),
      ),
    );
    for (const { status, body } of answers) expect({ status, body }).toMatchObject({ status: 200 });
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await eventsOf(system, buy.gatewayOrderId)).toHaveLength(20);
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('the same webhook 20 times in parallel: applied once', async ({ system, replica }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const eventId = `evt_same_${payment.gateway_payment_id}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        system.sandbox.sendWebhook(replica(n), 'payment.captured', payment, { eventId }),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers.filter(({ body }) => body['duplicate'] === undefined)).toHaveLength(1);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await eventsOf(system, buy.gatewayOrderId)).toHaveLength(1);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('payment.captured and order.paid together, for many orders at once', async ({
    system,
    replica,
  }) => {
    const buyers = await Promise.all(Array.from({ length: 10 }, () => system.newCustomer()));
    const paid = await Promise.all(
      buyers.map((buyer) => buyAndPay(system, { deliver: 'none' }, buyer)),
    );
    await Promise.all(
      paid.flatMap(({ payment }, n) => [
        system.sandbox.sendWebhook(replica(n), 'payment.captured', payment),
        system.sandbox.sendWebhook(replica(n + 1), 'order.paid', payment),
      ]),
    );
    for (const { buyer, buy } of paid) {
      await buyer.becomes(buy.orderId, 'ALLOCATED');
      expect(await system.transitions(buy.orderId)).toEqual(happy);
      expect(await system.purchases(buy.txId)).toBe(1);
    }
  });

  it('an event that was allocated for long changes nothing', async ({ system, replica }) => {
    const { buyer, buy, payment } = await buyAndPay(system);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await system.sandbox.sendWebhook(replica(1), 'order.paid', payment, { data: { late: true } });
    expect(await system.transitions(buy.orderId)).toEqual(happy);
    expect(await system.purchases(buy.txId)).toBe(1);
  });
});

describe('what is no word of the gateway', () => {
  it('a bad signature is 401 and nothing is written', async ({ system, replica }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const before = await system.fingerprint();
    const secret = 'dev-only-not-the-secret-of-the-gateway-0001';
    const forged = await system.sandbox.sendWebhook(replica(0), 'order.paid', payment, { secret });
    expect(forged).toMatchObject({ status: 401, code: 'INVALID_SIGNATURE' });
    expect(await system.fingerprint()).toEqual(before);
    await system.sandbox.sendWebhook(replica(0), 'order.paid', payment);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
  });

  it('an event of an unknown order is kept, and answered 200', async ({ system, replica }) => {
    const payment = {
      gateway_payment_id: 'sbx_pay_nobody_knows',
      gateway_order_id: 'sbx_order_nobody_knows',
      status: 'failed',
      amount_paise: 100,
      currency: 'INR',
      method: 'upi',
      signature: '',
    };
    const answer = await system.sandbox.sendWebhook(replica(0), 'payment.failed', payment);
    expect(answer).toMatchObject({ status: 200, body: { received: true } });
    expect(await eventsOf(system, 'sbx_order_nobody_knows')).toMatchObject([
      { status: 'UNMATCHED' },
    ]);
  });
});

describe('money that does not fit', () => {
  it.for([
    ['more than was asked', { amountPaise: 100_100 }, 'AMOUNT_MISMATCH'],
    ['less than was asked', { amountPaise: 99_999 }, 'AMOUNT_MISMATCH'],
    ['another currency', { currency: 'USD' }, 'CURRENCY_MISMATCH'],
    ['another currency and amount', { currency: 'USD', amountPaise: 5 }, 'CURRENCY_MISMATCH'],
  ] as const)(
    '%s: %j goes to review as %s, without gold',
    async ([_name, play, code], { system }) => {
      const { buyer, buy } = await buyAndPay(system, play);
      const order = await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code });
      expect(order.manual_review_reason).toContain('captured');
      expect((await buyer.payment(buy.paymentOrderId)).status).toBe('MANUAL_REVIEW');
      expect(await system.purchases(buy.txId)).toBe(0);
      expect((await buyer.portfolio()).investedPaise).toBe(0);
    },
  );

  it('capture after failed: the lock stands, so it is paid and allocated', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system, { outcome: 'failed' });
    await buyer.becomes(buy.orderId, 'FAILED');
    expect((await buyer.payment(buy.paymentOrderId)).status).toBe('FAILED');
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual([
      '>PENDING',
      'PENDING>FAILED',
      'FAILED>PAID',
      'PAID>ALLOCATED',
    ]);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('captured twice, by two payments: SECOND_CAPTURE, the gold stays', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'SECOND_CAPTURE' });
    expect((await buyer.portfolio()).investedPaise).toBe(100_000);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('captured twice at the same moment: one pays, the other is SECOND_CAPTURE', async ({
    system,
    replica,
  }) => {
    const { buyer, buy, payment } = await buyAndPay(system, { deliver: 'none' });
    const other = await system.sandbox.pay(buy.gatewayOrderId, { deliver: 'none' });
    await Promise.all([
      system.sandbox.sendWebhook(replica(0), 'payment.captured', payment),
      system.sandbox.sendWebhook(replica(1), 'payment.captured', other),
    ]);
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'SECOND_CAPTURE' });
    expect(await standingsOf(system, buy.gatewayOrderId)).toEqual(['APPLIED', 'SECOND']);
    expect((await buyer.payment(buy.paymentOrderId)).status).toBe('PAID');
    // The review may come before the gold is bought, or while it is.
    expect(await system.purchases(buy.txId)).toBeLessThanOrEqual(1);
  });

  it('a second capture of another amount is SECOND_CAPTURE all the same', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await system.sandbox.pay(buy.gatewayOrderId, { amountPaise: 1, currency: 'USD' });
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'SECOND_CAPTURE' });
    expect((await buyer.portfolio()).investedPaise).toBe(100_000);
  });
});

describe('payment.failed when money is held', () => {
  it('after paid, of the captured payment: FAILED_AFTER_PAID, the gold stays', async ({
    system,
    replica,
  }) => {
    const { buyer, buy, payment } = await buyAndPay(system);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    const data = { status: 'failed' };
    await system.sandbox.sendWebhook(replica(0), 'payment.failed', payment, { data });
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'FAILED_AFTER_PAID' });
    expect((await buyer.payment(buy.paymentOrderId)).status).toBe('PAID');
    expect((await buyer.portfolio()).investedPaise).toBe(100_000);
  });

  it('while the gold is being bought: FAILED_AFTER_PAID stays, and so does the gold', async ({
    system,
    replica,
  }) => {
    await system.sandbox.fault('safegold', 'buy-confirm', 'slow', { delayMs: 1000 });
    const { buyer, buy, payment } = await buyAndPay(system);
    await eventually(async () => {
      expect(await system.sandbox.journal('buy-confirm', buy.txId)).toHaveLength(1);
    });
    const data = { status: 'failed' };
    await system.sandbox.sendWebhook(replica(0), 'payment.failed', payment, { data });
    await eventually(async () => expect(await system.purchases(buy.txId)).toBe(1));
    await eventually(async () => {
      expect((await buyer.portfolio()).investedPaise).toBe(100_000);
    });
    await buyer.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'FAILED_AFTER_PAID' });
  });

  it('of another payment of the same order: nothing changes', async ({ system }) => {
    const { buyer, buy } = await buyAndPay(system);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await system.sandbox.pay(buy.gatewayOrderId, { outcome: 'failed' });
    await eventually(async () =>
      expect(await eventsOf(system, buy.gatewayOrderId)).toHaveLength(3),
    );
    expect((await buyer.order(buy.orderId)).status).toBe('ALLOCATED');
    expect((await buyer.payment(buy.paymentOrderId)).status).toBe('PAID');
    expect(await system.transitions(buy.orderId)).toEqual(happy);
  });

  it('told late, of a payment that failed before the captured one: nothing changes', async ({
    system,
    replica,
  }) => {
    const {
      buyer,
      buy,
      payment: failed,
    } = await buyAndPay(system, { outcome: 'failed', deliver: 'none' });
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    await system.sandbox.sendWebhook(replica(1), 'payment.failed', failed);
    expect(await system.transitions(buy.orderId)).toEqual(happy);
  });
});
