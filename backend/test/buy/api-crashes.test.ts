import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunningSystem, type RunningSystem } from '#test/support/open-running-system.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  newKey,
  placedOf,
  type PlacedBuy,
  type TestCustomer,
} from '#test/support/test-customer.ts';

let system: RunningSystem;

interface Cut {
  readonly buyer: TestCustomer;
  readonly key: string;
}
const cut: Record<string, Cut> = {};
let paid: { buyer: TestCustomer; buy: PlacedBuy };

/** It waits long for its collaborators, so that it can be killed while it does. */
const doomed = { SAFEGOLD_TIMEOUT_MS: '15000', SANDBOX_GATEWAY_TIMEOUT_MS: '30000' };
const long = { delayMs: 60_000 };

/** A buy whose request is cut off when its API is killed. */
const begin = async (step: string, amount: string, operation: string): Promise<void> => {
  const buyer = await system.newCustomer();
  const key = newKey();
  cut[step] = { buyer, key };
  const before = (await system.sandbox.journal(operation)).length;
  void buyer.requestBuy(amount, key).catch(() => undefined);
  await eventually(async () => {
    expect((await system.sandbox.journal(operation)).length).toBe(before + 1);
  });
};

beforeAll(async () => {
  system = await openRunningSystem({ customer: doomed });
  const { sandbox } = system;
  const api = system.processes.find(({ app }) => app === 'customer');
  const buyer = await system.newCustomer();
  paid = { buyer, buy: await buyer.buy('1000') };

  await sandbox.fault('sandbox-gateway', 'create-order', 'timeout', long);
  await begin('before the gateway opened the order', '1001', 'create-order');
  await sandbox.fault('sandbox-gateway', 'create-order', 'accept_then_timeout', long);
  await begin('after the gateway opened the order', '1002', 'create-order');
  await sandbox.fault('safegold', 'buy-verify', 'timeout', long);
  await begin('before anything was written', '1003', 'buy-verify');

  const { databaseUrl } = system.stack.database;
  const order = 'SELECT 1 FROM gold_order WHERE id = $1::uuid FOR UPDATE';
  const row = await lockRows(databaseUrl, order, [paid.buy.orderId]);
  await sandbox.pay(paid.buy.gatewayOrderId);
  await untilBlocked(databaseUrl, 2);
  await api?.kill('SIGKILL');
  await row.release();
  await sandbox.clearFaults();
  await system.lapseLeases();
  await system.startCustomer();
});
afterAll(() => system.stop());

const orderIdsOf = async ({ userId }: TestCustomer): Promise<string[]> => {
  const sql = 'SELECT id FROM gold_order WHERE user_id = $1::uuid';
  return (await system.query<{ id: string }>(sql, userId)).map(({ id }) => id);
};

describe('a customer API killed (SIGKILL) and started again', () => {
  it('while it applied a capture: the gateway tells again, and it is applied once', async () => {
    const { buyer, buy } = paid;
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.transitions(buy.orderId)).toEqual([
      '>PENDING',
      'PENDING>PAID',
      'PAID>ALLOCATED',
    ]);
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it.each([
    ['before the gateway opened the order', '1001', 1, 2],
    ['after the gateway opened the order', '1002', 1, 1],
    ['before anything was written', '1003', 0, 1],
  ])('%s: the same key resumes', async (step, amount, orders, opened) => {
    const { buyer, key } = cut[step] ?? { buyer: paid.buyer, key: '' };
    const before = await orderIdsOf(buyer);
    expect(before).toHaveLength(orders);
    const answer = await buyer.requestBuy(amount, key);
    expect(answer).toMatchObject({ status: 201 });
    const buy = placedOf(answer.body, key);
    expect(await orderIdsOf(buyer)).toEqual(orders === 0 ? [buy.orderId] : before);
    const journal = await system.sandbox.journal('create-order', buy.paymentOrderId);
    expect(journal).toHaveLength(opened);
    const [first] = await system.sandbox.journal('create-order', buy.gatewayOrderId);
    expect(first).toBeDefined();
    await system.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await system.purchases(buy.txId)).toBe(1);
  });

  it('leaves every invariant whole', async () => {
    await expect(system.check()).resolves.toBeUndefined();
  });
});
