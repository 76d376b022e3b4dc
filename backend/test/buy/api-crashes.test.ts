import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey, placedOf, type TestCustomer } from '#test/support/test-customer.ts';

interface Cut {
  readonly buyer: TestCustomer;
  readonly key: string;
}

/** It waits long for its collaborators, so that it can be killed while it does. */
const doomed = { SAFEGOLD_TIMEOUT_MS: '15000', SANDBOX_GATEWAY_TIMEOUT_MS: '30000' };
const long = { delayMs: 60_000 };

/** A buy whose request is cut off when its API is killed. */
const begin = async (system: RunningSystem, amount: string, operation: string): Promise<Cut> => {
  const buyer = await system.newCustomer();
  const key = newKey();
  const before = (await system.sandbox.journal(operation)).length;
  void buyer.requestBuy(amount, key).catch(() => undefined);
  await eventually(async () => {
    expect((await system.sandbox.journal(operation)).length).toBe(before + 1);
  });
  return { buyer, key };
};

/** Kills the API while it places three buys and applies the capture of another. */
const killApi = async (system: RunningSystem) => {
  const { sandbox } = system;
  const api = system.processes.find(({ app }) => app === 'customer');
  const buyer = await system.newCustomer();
  const buy = await buyer.buy('1000');

  await sandbox.fault('sandbox-gateway', 'create-order', 'timeout', long);
  const unopened = await begin(system, '1001', 'create-order');
  await sandbox.fault('sandbox-gateway', 'create-order', 'accept_then_timeout', long);
  const opened = await begin(system, '1002', 'create-order');
  await sandbox.fault('safegold', 'buy-verify', 'timeout', long);
  const unwritten = await begin(system, '1003', 'buy-verify');

  const { databaseUrl } = system.stack.database;
  const order = 'SELECT 1 FROM gold_order WHERE id = $1::uuid FOR UPDATE';
  const row = await lockRows(databaseUrl, order, [buy.orderId]);
  await sandbox.pay(buy.gatewayOrderId);
  await untilBlocked(databaseUrl, 2);
  await api?.kill('SIGKILL');
  await row.release();
  await sandbox.clearFaults();
  await system.lapseLeases();
  await system.startCustomer();
  return { paid: { buyer, buy }, unopened, opened, unwritten };
};

const it = runningTest({ customer: doomed, checked: 'at the end' }).extend(
  'story',
  { scope: 'file' },
  ({ system }) => killApi(system),
);
// In a hook, which has more time than a test.
it.beforeAll(({ story: _story }) => undefined);

const orderIdsOf = async (system: RunningSystem, { userId }: TestCustomer): Promise<string[]> => {
  const sql = 'SELECT id FROM gold_order WHERE user_id = $1::uuid';
  return (await system.query<{ id: string }>(sql, userId)).map(({ id }) => id);
};

describe('a customer API killed (SIGKILL) and started again', () => {
  it('while it applied a capture: the gateway tells again, and it is applied once', async ({
    system,
    story,
  }) => {
    const { buyer, buy } = story.paid;
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual([
      '>PENDING',
      'PENDING>PAID',
      'PAID>ALLOCATED',
    ]);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it.for([
    ['before the gateway opened the order', 'unopened', '1001', 1, 2],
    ['after the gateway opened the order', 'opened', '1002', 1, 1],
    ['before anything was written', 'unwritten', '1003', 0, 1],
  ] as const)(
    '%s: the same key resumes',
    async ([, cut, amount, orders, opened], { system, story }) => {
      const { buyer, key } = story[cut];
      const before = await orderIdsOf(system, buyer);
      expect(before).toHaveLength(orders);
      const answer = await buyer.requestBuy(amount, key);
      expect(answer).toMatchObject({ status: 201 });
      const buy = placedOf(answer.body, key);
      expect(await orderIdsOf(system, buyer)).toEqual(orders === 0 ? [buy.orderId] : before);
      const journal = await system.sandbox.journal('create-order', buy.paymentOrderId);
      expect(journal).toHaveLength(opened);
      const [first] = await system.sandbox.journal('create-order', buy.gatewayOrderId);
      expect(first).toBeDefined();
      await system.sandbox.pay(buy.gatewayOrderId);
      await buyer.becomes(buy.orderId, 'ALLOCATED');
      expect(await system.purchases(buy.txId)).toBe(1);
    },
  );
});
