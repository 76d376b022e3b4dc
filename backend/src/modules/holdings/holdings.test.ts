import { afterAll, beforeAll, describe, expect } from 'vitest';
import { connectRedis } from '#test/support/connect-redis.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createGate } from '#test/support/gate.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { grams, paise } from '../../money/index.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import { closeRedis, createRedis } from '../../platform/redis/index.ts';
import type { PortfolioView } from './holdings.schemas.ts';
import { createPortfolioCache, creditHolding, lockHolding, readHolding } from './index.ts';

const random = createRandom();
const it = goldTest({
  // The tests credit the holding directly, without an order or the provider.
  breaks: [
    'an allocated order has one credit, of its grams and its rupees',
    "the provider's balance of a customer is the holding and what went to the house of it",
  ],
});

let keys = 0;
const ordered = async (open: OpenGold) => {
  const { id: userId, call } = await open.newCustomer();
  const orderIds: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    keys += 1;
    const buy = { unit: 'INR', amount: '100', idempotency_key: `holding-${keys}` };
    orderIds.push((await call('POST', '/gold/buy', buy)).body.order.id);
  }
  return { userId, orderIds };
};
const creditOf = (open: OpenGold, userId: string, orderId: string, weight: bigint) => ({
  movementId: random.uuid(),
  userId,
  orderId,
  grams: grams(weight),
  investedPaise: paise(10_000n),
  at: open.clock.now(),
});

it('a holding has no statement yet', async ({ open }) => {
  const { call } = await open.newCustomer();
  const { status, body } = await call('GET', '/portfolio/statement');
  expect({ status, code: body.error.code }).toEqual({ status: 501, code: 'NOT_IMPLEMENTED' });
});

describe('a holding', () => {
  it('is the sum of its movements, also after concurrent credits', async ({ open }) => {
    const { userId, orderIds } = await ordered(open);
    const { db, inTransaction } = open.database;
    await Promise.all(
      orderIds.map((orderId, index) =>
        inTransaction((tx) =>
          creditHolding(tx, creditOf(open, userId, orderId, BigInt(index + 1))),
        ),
      ),
    );
    expect(await readHolding(db, userId)).toEqual({
      balance: 6n,
      reserved: 0n,
      investedPaise: 30_000n,
    });
    const movements = await db.holdingMovement.findMany({
      where: { userId },
      orderBy: { version: 'asc' },
    });
    expect(movements.map(({ version }) => version)).toEqual([1n, 2n, 3n]);
    expect(movements.map(({ investedAfterPaise }) => investedAfterPaise)).toEqual([
      10_000n,
      20_000n,
      30_000n,
    ]);
    expect(movements.at(-1)?.balanceAfter.toFixed(8)).toBe('0.00000006');
  });

  it('is credited once for an order', async ({ open }) => {
    const { userId, orderIds } = await ordered(open);
    const [orderId = ''] = orderIds;
    const { db, inTransaction } = open.database;
    await inTransaction((tx) => creditHolding(tx, creditOf(open, userId, orderId, 5n)));
    const again = inTransaction((tx) => creditHolding(tx, creditOf(open, userId, orderId, 5n)));
    const error: unknown = await again.catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error)).toBe(true);
    expect((await readHolding(db, userId)).balance).toBe(5n);
  });

  it('of an unknown customer is empty, and can be neither locked nor credited', async ({
    open,
  }) => {
    const { db, inTransaction } = open.database;
    const nobody = random.uuid();
    expect((await readHolding(db, nobody)).balance).toBe(0n);
    await expect(inTransaction((tx) => lockHolding(tx, nobody))).rejects.toThrow(
      'a customer has a holding',
    );
    const { orderIds } = await ordered(open);
    const credit = creditOf(open, nobody, orderIds[0] ?? '', 5n);
    await expect(inTransaction((tx) => creditHolding(tx, credit))).rejects.toThrow(
      'a customer has a holding',
    );
  });
});

const view = (investedPaise: number): PortfolioView => ({
  balance: '1.0000',
  reserved: '0.0000',
  investedPaise,
  avgPricePaise: 1,
  currentValuePaise: 1,
  profitLossPaise: 0,
  profitLossPct: 0,
  sellPricePaise: 1,
  asOf: '2026-01-05T04:00:00.000Z',
});

describe('the portfolio cache', () => {
  let stores: FreshDatabase;
  let redis: ReturnType<typeof createRedis>;
  beforeAll(async () => {
    stores = await freshDatabase();
    redis = await connectRedis(stores.redisUrl);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await stores.drop();
  });

  it('computes once, and again after a drop', async () => {
    const cache = createPortfolioCache({ redis, random });
    const read = (value: number) => cache.read('one', async () => view(value));
    expect((await read(1)).investedPaise).toBe(1);
    expect((await read(2)).investedPaise).toBe(1);
    await cache.drop('one');
    expect((await read(3)).investedPaise).toBe(3);
    expect((await read(4)).investedPaise).toBe(3);
  });

  it('does not serve a summary that was computed before a drop but cached after it', async () => {
    const cache = createPortfolioCache({ redis, random });
    const gate = createGate();
    const slow = cache.read('two', async () => {
      await gate.opened;
      return view(1);
    });
    await cache.drop('two');
    gate.open();
    expect((await slow).investedPaise).toBe(1);
    expect((await cache.read('two', async () => view(2))).investedPaise).toBe(2);
  });

  it('computes each time without Redis', async () => {
    const lost = createRedis('redis://127.0.0.1:1', 'fail-fast');
    const cache = createPortfolioCache({ redis: lost, random });
    await cache.drop('three');
    expect((await cache.read('three', async () => view(1))).investedPaise).toBe(1);
    expect((await cache.read('three', async () => view(2))).investedPaise).toBe(2);
    await closeRedis(lost);
  });
});
