import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { codeOf } from '#test/support/caller.ts';
import { forgePrice } from '#test/support/forge-price.ts';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { makePrice } from '#test/support/prices.ts';
import { createSellers, newIdempotencyKey, type Seller } from '#test/support/sellers.ts';
import { paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { type LivePrice, type LivePriceReader } from '../price/index.ts';
import { insertTick } from '../price/price.store.ts';

/** The provider's prices in these tests. */
const providerPrice = { buyPaise: 741_000, sellPaise: 719_000, spotPaise: 730_000 };

/** The wrong parts of our price, which neither a store nor a spread can cause. */
let wrongPrice: Partial<Pick<LivePrice, 'buyPaise' | 'sellPaise'>> = {};
const livePrice = (real: LivePriceReader): LivePriceReader => ({
  priceAtHand: () => {
    const price = real.priceAtHand();
    return price === undefined ? undefined : { ...price, ...wrongPrice };
  },
  livePrice: async () => ({ ...(await real.livePrice()), ...wrongPrice }),
  freshPrice: async () => ({ ...(await real.freshPrice()), ...wrongPrice }),
});

const wall = createManualClock(new Date());
const it = goldTest({ wall, wrap: { livePrice } })
  .extend('sellers', { scope: 'file' }, ({ open }) => createSellers(open))
  .extend('seller', ({ sellers }) => sellers.newSeller());

/** Lets real time pass, so that every copy of the price is too old. */
const expirePrice = (): void => {
  wall.advance(10_000);
};

it.beforeEach(async ({ open }) => {
  wrongPrice = {};
  await open.sandbox.control('PUT', '/price', providerPrice);
  expirePrice();
});

/** Inserts a tick with the provider's rates and a different price per gram. */
const leaveTick = async (open: OpenGold, providerBuyPaise: number): Promise<void> => {
  expirePrice();
  const [buy, sell] = await Promise.all([
    open.sandbox.safegold('GET', '/v1/buy-price'),
    open.sandbox.safegold('GET', '/v1/sell-price'),
  ]);
  const price = makePrice({
    providerBuyPaise: paise(BigInt(providerBuyPaise)),
    buyRateId: String(buy.body['rate_id']),
    sellRateId: String(sell.body['rate_id']),
    ratesValidUntil: addMs(open.clock.now(), 400_000),
    asOf: wall.now(),
  });
  await insertTick(open.database.db, randomUUID(), wall.now(), price);
};

const written = (open: OpenGold) =>
  Promise.all([open.database.db.goldQuote.count(), open.database.db.goldOrder.count()]);
const countCalls = async (open: OpenGold, operation: string) =>
  (await open.journal(operation)).length;

describe('a buy', () => {
  const oneGram = { unit: 'GRAMS', amount: '1' };

  it.for([
    ['a quote', '/gold/quote', {}],
    ['a buy without a quote', '/gold/buy', { idempotency_key: 'below-its-price' }],
  ] as const)(
    'is not sold below what the provider charges: %s',
    async ([, path, more], { open }) => {
      const { call } = await open.newCustomer();
      wrongPrice = { buyPaise: paise(10_000n) };
      const before = await written(open);
      const answer = await call('POST', path, { ...oneGram, ...more });
      expect(codeOf(answer)).toEqual([502, 'PROVIDER_MISMATCH']);
      expect(await written(open)).toEqual(before);
    },
  );

  it.for([
    ['one per cent', 733_700, 201],
    ['more than one per cent', 733_500, 502],
  ] as const)(
    "may be below the provider's charge by %s",
    async ([, buyPaise, status], { open }) => {
      const { call } = await open.newCustomer();
      wrongPrice = { buyPaise: paise(BigInt(buyPaise)) };
      expect((await call('POST', '/gold/quote', oneGram)).status).toBe(status);
    },
  );

  it("is priced once more if the provider's rate has changed", async ({ open }) => {
    const { call } = await open.newCustomer();
    await leaveTick(open, 700_000);
    const before = await countCalls(open, 'buy-verify');
    const answer = await call('POST', '/gold/quote', oneGram);
    expect(answer.status).toBe(201);
    expect(answer.body.pricePerGramPaise).toBe(741_000);
    expect(await countCalls(open, 'buy-verify')).toBe(before + 2);
  });

  it.for([
    ['a tenth', 74_100],
    ['ten times', 7_410_000],
  ] as const)(
    'does not use a price from Redis: %s of the price',
    async ([, perGramPaise], { open }) => {
      const { call } = await open.newCustomer();
      await forgePrice(open.redis, { perGramPaise, asOf: wall.now() });
      const answer = await call('POST', '/gold/quote', oneGram);
      expect([answer.status, answer.body.pricePerGramPaise]).toEqual([201, 741_000]);
    },
  );
});

type Sellers = ReturnType<typeof createSellers>;

/** Tries a sale of 0.02 g twice with one key, and returns the result. */
const sellTwice = async (open: OpenGold, sellers: Sellers, seller: Seller, more: object) => {
  const before = await countCalls(open, 'sell-confirm');
  const body = { ...more, idempotency_key: newIdempotencyKey() };
  const answers = [
    codeOf(await sellers.sell(seller, '0.02', body)),
    codeOf(await sellers.sell(seller, '0.02', body)),
  ];
  const orders = await sellers.salesOf(seller.id);
  const { balance, reserved } = await sellers.holdingOf(seller.id);
  return {
    answers,
    orders: orders.map(({ status, failureCode }) => [status, failureCode]),
    holding: [balance, reserved],
    confirms: (await countCalls(open, 'sell-confirm')) - before,
  };
};

const refused = (seller: Seller) => ({
  answers: [
    [502, 'PROVIDER_MISMATCH'],
    [502, 'PROVIDER_MISMATCH'],
  ],
  orders: [['FAILED', 'PROVIDER_MISMATCH']],
  holding: [seller.grams, '0.0000'],
  confirms: 0,
});

describe('a sale', () => {
  it('is not paid more than the provider pays', async ({ open, sellers, seller }) => {
    wrongPrice = { sellPaise: paise(7_190_000n) };
    expect(await sellTwice(open, sellers, seller, {})).toEqual(refused(seller));
  });

  it("does not use a price from Redis that is below the provider's", async ({ open, seller }) => {
    expirePrice();
    await forgePrice(open.redis, { perGramPaise: 100_000, asOf: wall.now() });
    const wanted = { unit: 'GRAMS', amount: '0.02' };
    const { body: quote } = await seller.call('POST', '/gold/quote/sell', wanted);
    expect([quote.pricePerGramPaise, quote.proceedsPaise]).toEqual([719_000, 14_380]);
  });

  it('with a quote is not paid more than the provider pays either', async ({
    open,
    sellers,
    seller,
  }) => {
    wrongPrice = { sellPaise: paise(7_190_000n) };
    const wanted = { unit: 'GRAMS', amount: '0.02' };
    const { body: quote } = await seller.call('POST', '/gold/quote/sell', wanted);
    expect(quote.proceedsPaise).toBe(143_800);
    expect(await sellTwice(open, sellers, seller, { quote_id: quote.id })).toEqual(refused(seller));
  });

  it('is refused if the rate of its quote has expired and the new rate pays less', async ({
    open,
    sellers,
    seller,
  }) => {
    const wanted = { unit: 'GRAMS', amount: '0.02' };
    const { body: quote } = await seller.call('POST', '/gold/quote/sell', wanted);
    await open.database.db.goldQuote.update({
      where: { id: quote.id },
      data: { providerRateId: '1' },
    });
    await open.sandbox.control('PUT', '/price', { ...providerPrice, sellPaise: 600_000 });
    expect(await sellTwice(open, sellers, seller, { quote_id: quote.id })).toEqual(refused(seller));
  });

  it.for([
    ['one per cent', 726_000, 201],
    ['more than one per cent', 726_600, 502],
  ] as const)(
    'may be paid %s more than the provider pays',
    async ([, sellPaise, status], { sellers, seller }) => {
      wrongPrice = { sellPaise: paise(BigInt(sellPaise)) };
      expect((await sellers.sell(seller, '0.05')).status).toBe(status);
    },
  );
});
