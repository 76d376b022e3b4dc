import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assertInvariants } from '#test/support/invariants.ts';
import { openGold, type OpenGold } from '#test/support/open-gold.ts';
import { createSellers, newSaleKey, type Seller } from '#test/support/sellers.ts';
import { paise } from '../../money/index.ts';
import { createManualClock, type ManualClock } from '../../platform/clock/manual-clock.ts';
import type { LivePrice, LivePriceReader } from '../price/index.ts';

/** The provider's own prices in these tests. */
const provided = { buyPaise: 741_000, sellPaise: 719_000, spotPaise: 730_000 };

/** What is wrong with our own price: no caches and no spreads can make it so. */
let wrong: Partial<Pick<LivePrice, 'buyPaise' | 'sellPaise'>> = {};
const wrapPrice = (real: LivePriceReader): LivePriceReader => ({
  priceAtHand: () => {
    const price = real.priceAtHand();
    return price === undefined ? undefined : { ...price, ...wrong };
  },
  livePrice: async () => ({ ...(await real.livePrice()), ...wrong }),
  freshPrice: async () => ({ ...(await real.freshPrice()), ...wrong }),
});

let open: OpenGold;
let wall: ManualClock;
beforeAll(async () => {
  wall = createManualClock(new Date());
  open = await openGold({ wall, wrapPrice });
});
afterAll(() => open.close());
/** Lets every copy of the price age. */
const forgetPrice = async (): Promise<void> => {
  wall.advance(10_000);
  await open.redis.del('price:live');
};

beforeEach(async () => {
  wrong = {};
  await open.sandbox.control('PUT', '/price', provided);
  await forgetPrice();
});
afterEach(() => assertInvariants({ databaseUrl: open.databaseUrl, sandboxUrl: open.sandbox.url }));

/** Leaves a price in the cache: the provider's own rates, but for what it took for a gram. */
const cachePrice = async (providerBuyPaise: number): Promise<void> => {
  await forgetPrice();
  const [buy, sell] = await Promise.all([
    open.sandbox.safegold('GET', '/v1/buy-price'),
    open.sandbox.safegold('GET', '/v1/sell-price'),
  ]);
  const entry = {
    ...Object.fromEntries(Object.entries(provided).map(([name, value]) => [name, `${value}`])),
    providerBuyPaise: `${providerBuyPaise}`,
    providerSellPaise: `${provided.sellPaise}`,
    providerTaxBps: '300',
    buyRateId: String(buy.body['rate_id']),
    sellRateId: String(sell.body['rate_id']),
    ratesValidUntil: new Date(open.clock.now().getTime() + 400_000).toISOString(),
    asOf: wall.now().toISOString(),
  };
  await open.redis.set('price:live', JSON.stringify(entry), 'PX', 60_000);
};

const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];

const written = () =>
  Promise.all([open.database.db.goldQuote.count(), open.database.db.goldOrder.count()]);
const countCalls = async (operation: string) => (await open.journal(operation)).length;

describe('a buy', () => {
  const oneGram = { unit: 'GRAMS', amount: '1' };

  it.each([
    ['a quote', '/gold/quote', {}],
    ['a buy without a quote', '/gold/buy', { idempotency_key: 'below-its-price' }],
  ])('is not sold below what the provider charges: %s', async (_name, path, more) => {
    const { call } = await open.newCustomer();
    wrong = { buyPaise: paise(10_000n) };
    const before = await written();
    const answer = await call('POST', path, { ...oneGram, ...more });
    expect(codeOf(answer)).toEqual([502, 'PROVIDER_MISMATCH']);
    expect(await written()).toEqual(before);
  });

  it.each([
    ['one per cent', 733_700, 201],
    ['more than one per cent', 733_500, 502],
  ])('may fall short of it by %s', async (_name, buyPaise, status) => {
    const { call } = await open.newCustomer();
    wrong = { buyPaise: paise(BigInt(buyPaise)) };
    expect((await call('POST', '/gold/quote', oneGram)).status).toBe(status);
  });

  it('is priced anew, once, where the rate of the provider has moved', async () => {
    const { call } = await open.newCustomer();
    await cachePrice(700_000);
    const before = await countCalls('buy-verify');
    const answer = await call('POST', '/gold/quote', oneGram);
    expect(answer.status).toBe(201);
    expect(answer.body.pricePerGramPaise).toBe(741_000);
    expect(await countCalls('buy-verify')).toBe(before + 2);
  });
});

describe('a sale', () => {
  let sellers: ReturnType<typeof createSellers>;
  let seller: Seller;
  beforeEach(async () => {
    sellers = createSellers(open);
    seller = await sellers.newSeller();
  });

  /** Tries a sale of 0.02 g under one key, twice, and returns what came of it. */
  const sellTwice = async (more: object) => {
    const before = await countCalls('sell-confirm');
    const body = { ...more, idempotency_key: newSaleKey() };
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
      confirms: (await countCalls('sell-confirm')) - before,
    };
  };

  const refused = () => ({
    answers: [
      [502, 'PROVIDER_MISMATCH'],
      [502, 'PROVIDER_MISMATCH'],
    ],
    orders: [['FAILED', 'PROVIDER_MISMATCH']],
    holding: [seller.grams, '0.0000'],
    confirms: 0,
  });

  it('is not paid more than the provider pays', async () => {
    wrong = { sellPaise: paise(7_190_000n) };
    expect(await sellTwice({})).toEqual(refused());
  });

  it('is not paid more than the provider pays by a quote either', async () => {
    wrong = { sellPaise: paise(7_190_000n) };
    const wanted = { unit: 'GRAMS', amount: '0.02' };
    const { body: quote } = await seller.call('POST', '/gold/quote/sell', wanted);
    expect(quote.proceedsPaise).toBe(143_800);
    expect(await sellTwice({ quote_id: quote.id })).toEqual(refused());
  });

  it('is refused where the rate of its quote lapsed and the new one pays less', async () => {
    const wanted = { unit: 'GRAMS', amount: '0.02' };
    const { body: quote } = await seller.call('POST', '/gold/quote/sell', wanted);
    await open.database.db.goldQuote.update({
      where: { id: quote.id },
      data: { providerRateId: '1' },
    });
    await open.sandbox.control('PUT', '/price', { ...provided, sellPaise: 600_000 });
    expect(await sellTwice({ quote_id: quote.id })).toEqual(refused());
  });

  it.each([
    ['one per cent', 726_000, 201],
    ['more than one per cent', 726_600, 502],
  ])('may be paid %s more', async (_name, sellPaise, status) => {
    wrong = { sellPaise: paise(BigInt(sellPaise)) };
    expect((await sellers.sell(seller, '0.05')).status).toBe(status);
  });
});
