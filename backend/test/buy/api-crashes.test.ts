import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openBuyWorld, type BuyWorld } from '#test/support/buy-world.ts';
import { holdRows, untilBlocked } from '#test/support/buy-world-locks.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey, placedOf, type PlacedBuy, type StoryClient } from '#test/support/story-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

let world: BuyWorld;

interface Cut {
  readonly buyer: StoryClient;
  readonly key: string;
}
const cut: Record<string, Cut> = {};
let paid: { buyer: StoryClient; buy: PlacedBuy };

/** It waits long for its collaborators, so that it can be killed while it does. */
const doomed = { SAFEGOLD_TIMEOUT_MS: '15000', SANDBOX_GATEWAY_TIMEOUT_MS: '30000' };
const long = { delayMs: 60_000 };

/** A buy whose request is cut off when its API is killed. */
const begin = async (step: string, amount: string, operation: string): Promise<void> => {
  const buyer = await world.newCustomer();
  const key = newKey();
  cut[step] = { buyer, key };
  const before = (await world.sandbox.journal(operation)).length;
  void buyer.askToBuy(amount, key).catch(() => undefined);
  await eventually(async () => {
    expect((await world.sandbox.journal(operation)).length).toBe(before + 1);
  });
};

beforeAll(async () => {
  world = await openBuyWorld({ customer: doomed });
  const { sandbox } = world;
  const api = world.processes.find(({ app }) => app === 'customer');
  const buyer = await world.newCustomer();
  paid = { buyer, buy: await buyer.buy('1000') };

  await sandbox.fault('sandbox-gateway', 'create-order', 'timeout', long);
  await begin('before the gateway opened the order', '1001', 'create-order');
  await sandbox.fault('sandbox-gateway', 'create-order', 'accept_then_timeout', long);
  await begin('after the gateway opened the order', '1002', 'create-order');
  await sandbox.fault('safegold', 'buy-verify', 'timeout', long);
  await begin('before anything was written', '1003', 'buy-verify');

  const { databaseUrl } = world.stack.database;
  const order = 'SELECT 1 FROM gold_order WHERE id = $1::uuid FOR UPDATE';
  const row = await holdRows(databaseUrl, order, [paid.buy.orderId]);
  await sandbox.pay(paid.buy.gatewayOrderId);
  await untilBlocked(databaseUrl, 2);
  await api?.kill('SIGKILL');
  await row.release();
  await sandbox.clearFaults();
  await world.lapseLeases();
  await world.startCustomer();
});
afterAll(() => world.stop());

const orderIdsOf = async ({ userId }: StoryClient): Promise<string[]> => {
  const sql = 'SELECT id FROM gold_order WHERE user_id = $1::uuid';
  return (await world.query<{ id: string }>(sql, userId)).map(({ id }) => id);
};

describe('a customer API killed (SIGKILL) and started again', () => {
  it('while it applied a capture: the gateway tells again, and it is applied once', async () => {
    const { buyer, buy } = paid;
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await world.moves(buy.orderId)).toEqual(['>PENDING', 'PENDING>PAID', 'PAID>ALLOCATED']);
    expect(await world.purchases(buy.txId)).toBe(1);
  });

  it.each([
    ['before the gateway opened the order', '1001', 1, 2],
    ['after the gateway opened the order', '1002', 1, 1],
    ['before anything was written', '1003', 0, 1],
  ])('%s: the same key resumes', async (step, amount, orders, opened) => {
    const { buyer, key } = cut[step] ?? { buyer: paid.buyer, key: '' };
    const before = await orderIdsOf(buyer);
    expect(before).toHaveLength(orders);
    const answer = await buyer.askToBuy(amount, key);
    expect(answer).toMatchObject({ status: 201 });
    const buy = placedOf(answer.body, key);
    expect(await orderIdsOf(buyer)).toEqual(orders === 0 ? [buy.orderId] : before);
    const journal = await world.sandbox.journal('create-order', buy.paymentOrderId);
    expect(journal).toHaveLength(opened);
    const [first] = await world.sandbox.journal('create-order', buy.gatewayOrderId);
    expect(first).toBeDefined();
    await world.sandbox.pay(buy.gatewayOrderId);
    await buyer.becomes(buy.orderId, 'ALLOCATED');
    expect(await world.purchases(buy.txId)).toBe(1);
  });

  it('leaves every invariant whole', async () => {
    await expect(world.check()).resolves.toBeUndefined();
  });
});
