import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { createSellers, type Seller } from '#test/support/sellers.ts';
import { grams, type Grams } from '../../money/index.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { isUniqueViolation } from '../../platform/db/index.ts';
import {
  debitHolding,
  availableGrams,
  readHolding,
  releaseSale,
  reserveGrams,
  type Holding,
} from './index.ts';

const random = createRandom();
const it = goldTest({
  // The tests reserve gold without an order, and debit it for an order that the provider does not
  // have.
  breaks: [
    'reserved grams are those of open sales and open reviews, and never exceed the balance',
    'a confirmed sale, and no other, has one debit of its grams, and the time of the debit',
    'every sale has one idempotency key',
    'only a verified sale is under review, and only a failed sale has a failure code',
    'a quote is used up by exactly one order',
    "an order's history is a chain without a gap that ends at its status",
    "the provider's balance of a customer is the holding and what went to the house of it",
  ],
});
let open: OpenGold;
let sellers: ReturnType<typeof createSellers>;
it.beforeAll(({ open: opened }) => {
  open = opened;
  sellers = createSellers(open);
});

const at = () => open.clock.now();
const holdingOf = ({ id }: Seller): Promise<Holding> => readHolding(open.database.db, id);
const reserve = ({ id: userId }: Seller, weight: Grams): Promise<boolean> =>
  open.database.inTransaction((tx) => reserveGrams(tx, { userId, grams: weight, at: at() }));
const release = ({ id: userId }: Seller, weight: Grams): Promise<void> =>
  open.database.inTransaction((tx) =>
    releaseSale(tx, { userId, grams: weight, at: at(), placedAt: at() }),
  );
/** Inserts a sell order of the customer, to which the movement refers. */
const orderOf = async ({ id: userId, call, bankAccountId }: Seller): Promise<string> => {
  const { db } = open.database;
  const found = await db.goldOrder.findFirst({ where: { userId, type: 'SELL' } });
  if (found !== null) return found.id;
  const { body } = await call('POST', '/gold/quote/sell', { unit: 'GRAMS', amount: '0.02' });
  const order = await db.goldOrder.create({
    data: {
      id: random.uuid(),
      userId,
      type: 'SELL',
      status: 'FAILED',
      unit: 'GRAMS',
      quoteId: body.id,
      bankAccountId,
      grams: body.grams,
      pricePerGramPaise: body.pricePerGramPaise,
      amountPaise: body.proceedsPaise,
      proceedsPaise: body.proceedsPaise,
      withheldPaise: 0n,
      createdAt: at(),
      updatedAt: at(),
    },
  });
  return order.id;
};
const debit = async (seller: Seller, weight: Grams) => {
  const orderId = await orderOf(seller);
  const movement = { movementId: random.uuid(), userId: seller.id, orderId, grams: weight };
  return open.database.inTransaction((tx) => debitHolding(tx, { ...movement, at: at() }));
};

describe('gold that is reserved', () => {
  it('is never more than the available grams, also for concurrent reservations', async () => {
    const seller = await sellers.newSeller();
    const { balance } = await holdingOf(seller);
    const part = grams(balance / 4n);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reserve(seller, part)));
    expect(answers.filter(Boolean)).toHaveLength(4);
    const holding = await holdingOf(seller);
    expect(holding.reserved).toBe(4n * part);
    expect(holding.balance).toBe(balance);
    expect(availableGrams(holding)).toBe(balance - 4n * part);
  });

  it('is released once', async () => {
    const seller = await sellers.newSeller();
    const { balance } = await holdingOf(seller);
    expect(await reserve(seller, balance)).toBe(true);
    await release(seller, balance);
    await expect(release(seller, grams(1n))).rejects.toThrow(
      'no more gold is released than was reserved',
    );
    expect(await holdingOf(seller)).toMatchObject({ balance, reserved: 0n });
  });
});

describe('a debit', () => {
  it('decreases reserved gold and the invested amount in proportion, once for an order', async () => {
    const seller = await sellers.newSeller();
    const before = await holdingOf(seller);
    const third = grams(before.balance / 3n);
    await reserve(seller, third);
    const left = await debit(seller, third);
    const twice = 2n * before.investedPaise * third;
    expect(left).toBe((twice + before.balance) / (2n * before.balance));
    expect(await holdingOf(seller)).toEqual({
      balance: before.balance - third,
      reserved: 0n,
      investedPaise: before.investedPaise - left,
    });
    await reserve(seller, third);
    const error: unknown = await debit(seller, third).catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error)).toBe(true);
    await release(seller, third);
  });

  it('of the last gram leaves no invested amount, and of unreserved gold is refused', async () => {
    const seller = await sellers.newSeller();
    const { balance, investedPaise } = await holdingOf(seller);
    await expect(debit(seller, balance)).rejects.toThrow(
      'the gold of a confirmed sale was reserved',
    );
    expect(await holdingOf(seller)).toMatchObject({ balance, investedPaise });
    await reserve(seller, balance);
    expect(await debit(seller, balance)).toBe(investedPaise);
    expect(await holdingOf(seller)).toEqual({ balance: 0n, reserved: 0n, investedPaise: 0n });
  });
});
