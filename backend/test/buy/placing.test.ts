import { describe, expect } from 'vitest';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { Answer } from '#test/support/caller.ts';
import { newKey, type TestCustomer } from '#test/support/test-customer.ts';
import { addMs, msBetween } from '../../src/platform/clock/clock.ts';
import { endOfIstDay } from '../../src/platform/clock/ist.ts';

/** With a second replica, by its address: what one customer sends may come to either. */
const it = runningTest().extend(
  'second',
  { scope: 'file' },
  async ({ system }) => (await system.startCustomer()).url,
);

const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const countOrders = async (system: RunningSystem, { userId }: TestCustomer): Promise<number> => {
  const sql = 'SELECT id FROM gold_order WHERE user_id = $1::uuid';
  return (await system.query(sql, userId)).length;
};

const times = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

describe('an idempotency key', () => {
  it('replay: the same order as it is now, and no new price call', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    const verifies = (await system.sandbox.journal('buy-verify')).length;
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    const again = await buyer.requestBuy('1000', buy.key);
    expect(again).toMatchObject({
      status: 200,
      body: { order: { id: buy.orderId, status: 'ALLOCATED' }, sg_tx_id: buy.txId },
    });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await system.sandbox.journal('buy-verify')).length).toBe(verifies);
    expect(await countOrders(system, buyer)).toBe(1);
  });

  it('with another payload: 409, nothing written', async ({ system }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    const before = await system.fingerprint();
    for (const [amount, unit] of [
      ['1000.01', 'INR'],
      ['1', 'GRAMS'],
    ] as const) {
      const answer = await buyer.requestBuy(amount, buy.key, unit);
      expect(answer).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_REUSED' });
    }
    expect(await system.fingerprint()).toEqual(before);
  });

  it('10 at once with the same key, on two replicas: one order', async ({ system, second }) => {
    const buyer = await system.newCustomer();
    const key = newKey();
    const body = { unit: 'INR', amount: '1000', idempotency_key: key };
    const answers = await times(10, (n) => {
      const call = n % 2 === 0 ? buyer.call : buyer.callAt(second);
      return askUntilDecided(() => call('POST', '/gold/buy', body));
    });
    expect(statuses(answers)).toEqual({ 201: 1, 200: 9 });
    const orders = answers.map((answer) => answer.body['order'] as { id: string });
    expect(new Set(orders.map(({ id }) => id)).size).toBe(1);
    expect(await countOrders(system, buyer)).toBe(1);
  });

  it('10 at once with the same key and other payloads: one order, nine refused', async ({
    system,
  }) => {
    const buyer = await system.newCustomer();
    const key = newKey();
    const answers = await times(10, (n) => buyer.requestBuy(`${1000 + n}`, key));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 9 });
    expect(await countOrders(system, buyer)).toBe(1);
  });

  it('is its owner’s, and its operation’s', async ({ system }) => {
    const [one, other] = [await system.newCustomer(), await system.newCustomer()];
    const key = newKey();
    const first = await one.buy('1000', key);
    const second = await other.buy('2000', key);
    expect(second.orderId).not.toBe(first.orderId);
    const quote = await one.quote('1500');
    expect((await one.requestPayment(quote.id, key)).status).toBe(201);
  });
});

describe('a quote', () => {
  it('is used once, by 10 at once with keys of their own', async ({ system }) => {
    const buyer = await system.newCustomer();
    const quote = await buyer.quote('1000');
    const answers = await times(10, () => buyer.requestPayment(quote.id));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 9 });
    for (const { status, code } of answers) {
      expect(status === 201 || code === 'QUOTE_USED').toBe(true);
    }
    expect(await countOrders(system, buyer)).toBe(1);
  });

  it('that has expired: 409, nothing written, and no order', async ({ system }) => {
    const buyer = await system.newCustomer();
    const quote = await buyer.quote('1000');
    await system.advance(421);
    const answer = await buyer.requestPayment(quote.id);
    expect(answer).toMatchObject({ status: 409, code: 'QUOTE_EXPIRED' });
    expect(await countOrders(system, buyer)).toBe(0);
  });

  it("of somebody else's does not exist", async ({ system }) => {
    const [owner, otherCustomer] = [await system.newCustomer(), await system.newCustomer()];
    const quote = await owner.quote('1000');
    expect(await otherCustomer.requestPayment(quote.id)).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
    expect((await otherCustomer.call('GET', `/gold/quote/${quote.id}`)).status).toBe(404);
    expect((await owner.requestPayment(quote.id)).status).toBe(201);
  });
});

describe('the daily limit', () => {
  it('holds under 20 buys at once, and counts unpaid ones only while their lock stands', async ({
    system,
    second,
  }) => {
    // No midnight of the business day may fall between the buys.
    const now = system.runtime.clock.now();
    const noon = addMs(endOfIstDay(now), 12 * 3_600_000);
    await system.advance(msBetween(now, noon) / 1000);
    const buyer = await system.newCustomer();
    // INR 500,000 a day.
    const answers = await times(20, (n) => {
      const body = { unit: 'INR', amount: '100000', idempotency_key: newKey() };
      return (n % 2 === 0 ? buyer.call : buyer.callAt(second))('POST', '/gold/buy', body);
    });
    expect(statuses(answers)).toEqual({ 201: 5, 400: 15 });
    const refused = answers.filter(({ status }) => status === 400);
    for (const { code } of refused) expect(code).toBe('LIMIT_EXCEEDED');
    expect(refused[0]?.body['error']).toMatchObject({
      field: 'amount',
      details: { limit: 'dailyBuyPaise', limitPaise: 50_000_000 },
    });
    expect(await countOrders(system, buyer)).toBe(5);
    const orders = answers.flatMap(({ status, body }) =>
      status === 201 ? [(body['order'] as { id: string }).id] : [],
    );
    await system.advance(490);
    for (const id of orders) await buyer.becomes(id, 'FAILED');
    expect((await buyer.requestBuy('100000')).status).toBe(201);
  });
});

describe('the gate', () => {
  it.for(['false', '', '1', 'yes', 'true\n\n', ' true'])(
    'reads %j as closed: 503',
    async (text, { system }) => {
      const buyer = await system.newCustomer();
      const quote = await buyer.quote('1000');
      const buy = await buyer.buy('1000');
      const before = await system.fingerprint();
      system.stack.setSwitch('DIGITAL_GOLD_PAYMENT_ENABLED', text);
      const closed = { status: 503, code: 'PAYMENTS_DISABLED' };
      try {
        expect(await buyer.requestBuy('1000')).toMatchObject(closed);
        expect(await buyer.requestBuy('nonsense', 'x')).toMatchObject(closed);
        expect(await buyer.requestPayment(quote.id)).toMatchObject(closed);
        // A finished key is a read.
        expect((await buyer.requestBuy('1000', buy.key)).status).toBe(200);
      } finally {
        system.stack.setSwitch('DIGITAL_GOLD_PAYMENT_ENABLED', 'TRUE\n');
      }
      expect(await system.fingerprint()).toEqual(before);
      expect((await buyer.requestPayment(quote.id)).status).toBe(201);
    },
  );
});
