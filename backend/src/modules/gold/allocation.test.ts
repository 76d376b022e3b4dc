import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { assertInvariants } from '../../../test/support/invariants.ts';
import { jobsOf, withJobRunner } from '../../../test/support/job-queue.ts';
import { openGold, type Caller, type OpenGold } from '../../../test/support/open-gold.ts';

/** A worker that dies at one of its calls to the provider: nothing after it happens. */
const death: { at: string | undefined } = { at: undefined };
const dieAt = (point: string): void => {
  if (death.at === point) throw new Error(`killed ${point}`);
};
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
    return outcome;
  },
});

let open: OpenGold;
beforeAll(async () => {
  open = await openGold({ wrapProvider: mortal });
});
afterAll(() => open.close());
afterEach(async () => {
  death.at = undefined;
  await open.sandbox.control('DELETE', '/faults');
  await assertInvariants({ databaseUrl: open.databaseUrl, sandboxUrl: open.sandbox.url });
});

let keys = 0;
interface Bought {
  readonly orderId: string;
  readonly userId: string;
  readonly providerUserId: string;
  readonly call: Caller;
  readonly txId: string;
  readonly grams: string;
  readonly gatewayOrderId: string;
}
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
const allocate = () => open.gold.allocate(bought.orderId);
const historyOf = async ({ orderId }: Bought): Promise<string[]> => {
  const { body } = await open.as('operator')('GET', `/orders/${orderId}`);
  return body.events.map((event: { to: string }) => event.to);
};
const confirmsOf = async ({ txId }: Bought): Promise<number> => {
  const entries = await open.journal('buy-confirm');
  return entries.filter(({ body }) => String(body['tx_id']) === txId).length;
};
const janitor = async (name: string): Promise<void> => {
  await open.gold.janitorSteps.find((step) => step.name === name)?.run();
};
const operationsOf = ({ orderId }: Bought) =>
  open.database.db.providerOperation.findMany({ where: { orderId } });
/** Time passes for a lease, which is on real time: its holder is gone. */
const letLeaseLapse = async ({ orderId }: Bought): Promise<void> => {
  await open.database.db.$executeRaw`
    UPDATE provider_operation SET lease_until = now() - interval '1 second'
    WHERE order_id = ${orderId}::uuid AND lease_until IS NOT NULL`;
};

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

/** One purchase on both sides, and a balance that is the sum of its movements. */
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
  const told = await db.notification.findMany({ where: { userId: given.userId } });
  expect(told.filter(({ type }) => type === 'buy_success')).toHaveLength(1);
  const operations = await operationsOf(given);
  expect(operations.filter(({ status }) => status === 'DONE')).toHaveLength(1);
};

beforeEach(async () => {
  bought = await buyAndPay();
});

describe('an allocation', () => {
  it('runs from the queue and shows in the portfolio at once', async () => {
    const { call } = bought;
    const empty = (await call('GET', '/portfolio')).body;
    expect(empty).toMatchObject({ balance: '0.0000', profitLossPct: 0, investedPaise: 0 });
    expect(await jobsOf(open.database.db, 'gold.allocate')).toHaveLength(1);
    await withJobRunner(open.databaseUrl, open.gold.jobs, async () => {
      await eventually(async () => (await statusOf(bought)) === 'ALLOCATED');
    });
    await expectOnePurchase(bought);
    expect(await historyOf(bought)).toEqual(['PENDING', 'PAID', 'ALLOCATED']);
    expect(await confirmsOf(bought)).toBe(1);
    const full = (await call('GET', '/portfolio')).body;
    expect(full).toMatchObject({
      balance: bought.grams,
      reserved: '0.0000',
      investedPaise: 100_000,
    });
    expect(full.profitLossPaise).toBe(full.currentValuePaise - 100_000);
    expect((await call('GET', '/portfolio/passbook')).body).toEqual({
      holding: {
        balance: bought.grams,
        reserved: '0.0000',
        investedPaise: 100_000,
        avgPricePaise: full.avgPricePaise,
      },
      entries_available: false,
      entries: [],
    });
  });

  it('in ten workers at a time confirms once', async () => {
    await Promise.all(Array.from({ length: 10 }, allocate));
    await expectOnePurchase(bought);
    expect(await confirmsOf(bought)).toBe(1);
    await allocate();
    await expectOnePurchase(bought);
  });

  it.each(['error', 'reset', 'timeout'])(
    'whose confirm ends in %s without having been made is tried again',
    async (fault) => {
      await open.fault('buy-confirm', fault);
      await allocate();
      expect(await statusOf(bought)).toBe('RETRY_PENDING');
      // Not before its time.
      await allocate();
      expect(await statusOf(bought)).toBe('RETRY_PENDING');
      await open.advance(5);
      await allocate();
      await expectOnePurchase(bought);
      const history = ['PENDING', 'PAID', 'RETRY_PENDING', 'PAID', 'ALLOCATED'];
      expect(await historyOf(bought)).toEqual(history);
    },
  );

  it.each(['accept_then_timeout', 'malformed'])(
    'whose confirm went through but ended in %s is found by the status',
    async (fault) => {
      await open.fault('buy-confirm', fault);
      await allocate();
      await expectOnePurchase(bought);
      expect(await confirmsOf(bought)).toBe(1);
    },
  );

  it('is not confirmed again while nobody says what became of the first confirm', async () => {
    await open.fault('buy-confirm', 'accept_then_timeout');
    await open.fault('buy-status', 'timeout', { times: 2 });
    await allocate();
    expect(await statusOf(bought)).toBe('RETRY_PENDING');
    expect((await operationsOf(bought)).map(({ status }) => status)).toEqual(['UNKNOWN']);
    await open.advance(5);
    await allocate();
    expect(await statusOf(bought)).toBe('RETRY_PENDING');
    await open.advance(15);
    await allocate();
    await expectOnePurchase(bought);
    expect(await confirmsOf(bought)).toBe(1);
  });
});

describe('a worker killed', () => {
  it.each(['before the confirm', 'after the confirm', 'after the status'])(
    '%s is followed by another that buys the gold once',
    async (point) => {
      death.at = point;
      await expect(allocate()).rejects.toThrow('killed');
      death.at = undefined;
      await allocate();
      // The dead one's lease stands: nobody else may confirm yet.
      expect(await statusOf(bought)).toBe('PAID');
      await letLeaseLapse(bought);
      await open.advance(61);
      await janitor('gold-resume-paid');
      expect((await jobsOf(open.database.db, 'gold.allocate')).length).toBeGreaterThan(0);
      await allocate();
      await expectOnePurchase(bought);
      expect(await confirmsOf(bought)).toBe(1);
    },
  );

  it('once more while it takes up the work changes nothing', async () => {
    death.at = 'after the confirm';
    await expect(allocate()).rejects.toThrow('killed');
    await letLeaseLapse(bought);
    death.at = 'after the status';
    await expect(allocate()).rejects.toThrow('killed');
    await letLeaseLapse(bought);
    death.at = undefined;
    await janitor('gold-ask-undecided');
    await expectOnePurchase(bought);
    expect(await historyOf(bought)).toEqual(['PENDING', 'PAID', 'ALLOCATED']);
  });
});

describe('an allocation that does not succeed', () => {
  it('ends with a person after all retries', async () => {
    await exhaust();
    expect(await orderOf(bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'ALLOCATION_EXHAUSTED',
      manual_review_reason: expect.stringContaining('6 tries'),
    });
    const told = await open.database.db.notification.findMany({
      where: { userId: bought.userId },
    });
    expect(told.map(({ type }) => type)).toEqual(['buy_under_review']);
    const { body } = await bought.call('GET', '/portfolio');
    expect(body.balance).toBe('0.0000');
  });

  it('ends with a person at the end of the lock, a later retry not waited for', async () => {
    await open.advance(200);
    await open.fault('buy-confirm', 'error', { times: 200 });
    await allocate();
    for (const seconds of [5, 15, 45, 90]) {
      await open.advance(seconds);
      await allocate();
    }
    const order = await open.database.db.goldOrder.findUniqueOrThrow({
      where: { id: bought.orderId },
    });
    expect(order.status).toBe('RETRY_PENDING');
    expect(order.nextAttemptAt).toEqual(order.lockEndsAt);
    await open.advance(125);
    const confirms = await confirmsOf(bought);
    await allocate();
    expect(await orderOf(bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    expect(await confirmsOf(bought)).toBe(confirms);
  });

  it('starts no confirm after the end of the lock', async () => {
    await open.advance(480);
    await allocate();
    expect(await orderOf(bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    expect(await confirmsOf(bought)).toBe(0);
    expect(await operationsOf(bought)).toEqual([]);
  });

  it('is allocated at the end of the lock when the provider sold it, known or not', async () => {
    const { providerUserId, txId } = bought;
    const path = `/v1/users/${providerUserId}/buy-gold-confirm`;
    await open.sandbox.safegold('POST', path, { tx_id: txId });
    expect(await operationsOf(bought)).toEqual([]);
    await open.advance(480);
    await allocate();
    await expectOnePurchase(bought);
  });

  it('is allocated from review when a confirm turns out to have gone through', async () => {
    await open.fault('buy-confirm', 'accept_then_timeout');
    await open.fault('buy-status', 'timeout', { times: 200 });
    await allocate();
    await open.advance(480);
    await allocate();
    expect(await orderOf(bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'PROVIDER_LOCK_EXPIRED',
    });
    // The provider is back: as long after as may be, its word counts.
    await open.sandbox.control('DELETE', '/faults');
    await open.advance(3600);
    await eventually(async () => {
      await open.advance(31);
      await janitor('gold-ask-undecided');
      expect(await statusOf(bought)).toBe('ALLOCATED');
    });
    await expectOnePurchase(bought);
    expect(await historyOf(bought)).toEqual([
      'PENDING',
      'PAID',
      'RETRY_PENDING',
      'MANUAL_REVIEW',
      'ALLOCATED',
    ]);
  });

  it('stays undecided for 10 min and 60 s, and is decided then', async () => {
    await open.fault('buy-confirm', 'timeout', { times: 200 });
    await allocate();
    await open.advance(480);
    await allocate();
    expect(await statusOf(bought)).toBe('MANUAL_REVIEW');
    const state = async () => (await operationsOf(bought)).map(({ status }) => status);
    await open.advance(179);
    await eventually(async () => {
      await janitor('gold-ask-undecided');
      const [operation] = await operationsOf(bought);
      return operation?.lastAskedAt?.getTime() === open.clock.now().getTime();
    });
    expect(await state()).toEqual(['UNKNOWN']);
    await open.advance(60);
    await eventually(async () => {
      await open.advance(31);
      await janitor('gold-ask-undecided');
      expect(await state()).toEqual(['REFUSED']);
    });
    expect(await statusOf(bought)).toBe('MANUAL_REVIEW');
  });
});

describe('a payment in doubt while the gold is being bought', () => {
  it('keeps the review open, with the gold in the holding', async () => {
    death.at = 'after the confirm';
    await expect(allocate()).rejects.toThrow('killed');
    death.at = undefined;
    const path = `/payments/${bought.gatewayOrderId}`;
    await open.sandbox.control('POST', path, { outcome: 'captured' });
    await eventually(async () => (await statusOf(bought)) === 'MANUAL_REVIEW');
    await letLeaseLapse(bought);
    await allocate();
    await janitor('gold-ask-undecided');
    expect(await orderOf(bought)).toMatchObject({
      status: 'MANUAL_REVIEW',
      manual_review_code: 'SECOND_CAPTURE',
    });
    expect(await historyOf(bought)).toEqual([
      'PENDING',
      'PAID',
      'MANUAL_REVIEW',
      'ALLOCATED',
      'MANUAL_REVIEW',
    ]);
    expect((await bought.call('GET', '/portfolio')).body.balance).toBe(bought.grams);
  });
});

describe('a retry whose job was lost', () => {
  it('is taken up by the janitor', async () => {
    await open.fault('buy-confirm', 'error');
    await allocate();
    expect(await statusOf(bought)).toBe('RETRY_PENDING');
    const { db } = open.database;
    const key = `gold.allocate:${bought.orderId}`;
    expect(await db.scheduledJob.count({ where: { key } })).toBe(1);
    await db.scheduledJob.deleteMany({ where: { key } });
    await open.advance(66);
    await janitor('gold-resume-retries');
    await withJobRunner(open.databaseUrl, open.gold.jobs, async () => {
      await eventually(async () => (await statusOf(bought)) === 'ALLOCATED');
    });
    await expectOnePurchase(bought);
  });
});
