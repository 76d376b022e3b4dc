import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { eventually } from './eventually.ts';
import { assertInvariants } from './invariants.ts';
import type { UntypedCaller } from './caller.ts';
import { openGold, type OpenGold } from './open-gold.ts';
import { runSweeps } from './run-sweeps.ts';

/** A worker that dies at one of its calls to the provider: nothing after it happens. */
const death: { at: string | undefined } = { at: undefined };
const dieAt = (point: string): void => {
  if (death.at === point) throw new Error(`killed ${point}`);
};
/** A worker that pauses after the provider's first status, while `during` runs. */
const standstill: { during: (() => Promise<void>) | undefined } = { during: undefined };
const mortal = (provider: GoldProvider): GoldProvider => ({
  ...provider,
  async confirmBuy(request) {
    dieAt('before the confirm');
    const outcome = await provider.confirmBuy(request);
    dieAt('after the confirm');
    return outcome;
  },
  async buyStatus(question) {
    const outcome = await provider.buyStatus(question);
    dieAt('after the status');
    const { during } = standstill;
    standstill.during = undefined;
    await during?.();
    return outcome;
  },
});

export interface Bought {
  readonly orderId: string;
  readonly userId: string;
  readonly providerUserId: string;
  readonly call: UntypedCaller;
  readonly txId: string;
  readonly grams: string;
  readonly gatewayOrderId: string;
}

/**
 * The setting of a test file on allocations: a buy whose money was captured before each test, the
 * invariants after each, and the questions that the tests ask.
 */
export const openAllocationScenario = () => {
  let open: OpenGold;
  beforeAll(async () => {
    open = await openGold({ wrap: { provider: mortal } });
  });
  afterAll(() => open.close());
  afterEach(async () => {
    death.at = undefined;
    standstill.during = undefined;
    await open.sandbox.control('DELETE', '/faults');
    const at = { databaseUrl: open.databaseUrl, sandboxUrl: open.sandbox.url };
    // A webhook of the sandbox may still be in progress when a test ends.
    await eventually(() => assertInvariants(at), { everyMs: 50 });
  });

  let keys = 0;
  let bought: Bought;

  /** A buy whose money was captured: its order is PAID and its job is on the queue. */
  const buyAndPay = async (): Promise<Bought> => {
    const { id: userId, providerUserId, call } = await open.newCustomer();
    keys += 1;
    const buy = { unit: 'INR', amount: '1000', idempotency_key: `allocation-${keys}` };
    const { body } = await call('POST', '/gold/buy', buy);
    const { gateway_order_id: gatewayOrderId } = body.payment;
    await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured' });
    const { id: orderId, sg_tx_id: txId, grams } = body.order;
    const paid = { orderId, userId, providerUserId, call, txId, grams, gatewayOrderId };
    await eventually(async () => (await statusOf(paid)) === 'PAID');
    return paid;
  };
  const orderOf = async ({ call, orderId }: Bought) =>
    (await call('GET', `/gold/orders/${orderId}`)).body;
  const statusOf = async (given: Bought): Promise<string> => (await orderOf(given)).status;
  const allocate = () => open.allocate(bought.orderId);
  const historyOf = async ({ orderId }: Bought): Promise<string[]> => {
    const { body } = await open.as('operator')('GET', `/orders/${orderId}`);
    return body.events.map((event: { to: string }) => event.to);
  };
  const confirmsOf = async ({ txId }: Bought): Promise<number> => {
    const entries = await open.journal('buy-confirm');
    return entries.filter(({ body }) => String(body['tx_id']) === txId).length;
  };
  const runSweep = (name: string): Promise<void> => runSweeps(open.gold.sweeps, name);
  const operationsOf = ({ orderId }: Bought) =>
    open.database.db.providerOperation.findMany({ where: { orderId } });
  /** Fails the first try of the allocation and every retry, each at its time. */
  const exhaust = async (): Promise<void> => {
    await open.fault('buy-confirm', 'error', { times: 200 });
    await allocate();
    for (const seconds of [5, 15, 45, 90, 180]) {
      expect(await statusOf(bought)).toBe('RETRY_PENDING');
      await open.advance(seconds);
      await allocate();
    }
  };

  /** There is a single purchase on both sides, and the balance is the sum of its movements. */
  const expectOnePurchase = async (given: Bought): Promise<void> => {
    const { db } = open.database;
    const order = await orderOf(given);
    expect(order).toMatchObject({ status: 'ALLOCATED', manual_review_code: null });
    const movements = await db.holdingMovement.findMany({ where: { userId: given.userId } });
    expect(movements).toHaveLength(1);
    const holding = await db.holding.findUniqueOrThrow({ where: { userId: given.userId } });
    expect(holding.balance.toFixed(4)).toBe(given.grams);
    expect(movements[0]?.balanceAfter.equals(holding.balance)).toBe(true);
    expect(holding.investedPaise).toBe(100_000n);
    const { body } = await open.sandbox.safegold('GET', `/v1/users/${given.providerUserId}`);
    expect(String(body['gold_balance'])).toBe(given.grams.replace(/0+$/, ''));
    const notifications = await db.notification.findMany({ where: { userId: given.userId } });
    expect(notifications.filter(({ type }) => type === 'buy_success')).toHaveLength(1);
    const operations = await operationsOf(given);
    expect(operations.filter(({ status }) => status === 'DONE')).toHaveLength(1);
  };

  beforeEach(async () => {
    bought = await buyAndPay();
  });

  return {
    get open() {
      return open;
    },
    /** The buy of the test at hand. */
    get bought() {
      return bought;
    },
    death,
    standstill,
    buyAndPay,
    orderOf,
    statusOf,
    allocate,
    historyOf,
    confirmsOf,
    runSweep,
    operationsOf,
    exhaust,
    expectOnePurchase,
  };
};
