import { describe, expect } from 'vitest';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import { runningTest } from '#test/support/running-test.ts';
import { openCuttableServer, type CuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey, placedOf } from '#test/support/test-customer.ts';
import type { TestStack } from '#test/support/test-stack.ts';

const openCompanion = async ({ database: { databaseUrl, redisUrl } }: TestStack) => {
  const [cache, database] = await Promise.all([
    openCuttableServer(redisUrl),
    openCuttableServer(databaseUrl),
  ]);
  return {
    cache,
    database,
    environment: { REDIS_URL: cache.url, DATABASE_URL: database.url },
    close: async () => {
      await Promise.all([cache.close(), database.close()]);
    },
  };
};

const it = runningTest({ openCompanion })
  .extend('cache', { scope: 'file' }, ({ companion }) => companion.cache)
  .extend('database', { scope: 'file' }, ({ companion }) => companion.database);

/** Does the work while a server is gone. */
const without = async <T>(server: CuttableServer, work: () => Promise<T>): Promise<T> => {
  await server.cut();
  try {
    return await work();
  } finally {
    await server.restore();
  }
};

describe('without the cache', () => {
  it('gold is quoted, bought, paid and allocated all the same', async ({ system, cache }) => {
    const buyer = await system.newCustomer();
    await without(cache, async () => {
      const quote = await buyer.quote('1000');
      const answer = await buyer.requestPayment(quote.id);
      expect(answer.status).toBe(201);
      await system.sandbox.pay(String(answer.body['gateway_order_id']));
      await buyer.becomes(String(answer.body['order_id']), 'ALLOCATED');
      expect((await buyer.portfolio()).investedPaise).toBe(100_000);
    });
  });

  it('10 at once with the same key are one order', async ({ system, cache }) => {
    const buyer = await system.newCustomer();
    const key = newKey();
    const ask = () => askUntilDecided(() => buyer.requestBuy('1000', key));
    const answers = await without(cache, () => Promise.all(Array.from({ length: 10 }, ask)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ body }) => placedOf(body, key).orderId)).size).toBe(1);
  });
});

describe('without the database', () => {
  it('a buy is refused and nothing is begun; the same key works afterwards', async ({
    system,
    database,
  }) => {
    const buyer = await system.newCustomer();
    const key = newKey();
    const verifies = (await system.sandbox.journal('buy-verify')).length;
    const refused = await without(database, () => buyer.requestBuy('1000', key));
    expect(refused).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect((await system.sandbox.journal('buy-verify')).length).toBe(verifies);
    const buy = await eventually(() => buyer.buy('1000', key));
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
  });

  it('a webhook is not accepted, sent again, and applied once', async ({ system, database }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    const api = system.stack.urlOf('customer');
    const answer = await without(database, async () => {
      const payment = await system.sandbox.pay(buy.gatewayOrderId);
      return system.sandbox.sendWebhook(api, 'payment.captured', payment);
    });
    expect(answer.status).toBe(503);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual([
      '>PENDING',
      'PENDING>PAID',
      'PAID>ALLOCATED',
    ]);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('a worker that cannot write what it bought finds it again', async ({ system, database }) => {
    const buyer = await system.newCustomer();
    const buy = await buyer.buy('1000');
    await system.sandbox.fault('safegold', 'buy-confirm', 'slow', { delayMs: 1000 });
    await system.sandbox.pay(buy.gatewayOrderId);
    await eventually(async () => {
      expect(await system.sandbox.journal('buy-confirm', buy.txId)).toHaveLength(1);
    });
    await without(database, async () => {
      await eventually(async () => expect(await system.purchases(buy.txId)).toBe(1));
      await eventually(async () => {
        expect((await system.sandbox.journal('buy-status', buy.txId)).length).toBeGreaterThan(0);
      });
    });
    // Its lease on the confirm ends in real time. The sweep takes orders that have not changed for
    // a minute.
    await system.advance(61);
    await buyer.becomes(buy.orderId, 'ALLOCATED', { timeoutMs: 120_000 });
    expect(await system.sandbox.journal('buy-confirm', buy.txId)).toHaveLength(1);
    expect((await buyer.portfolio()).investedPaise).toBe(100_000);
  });
});
