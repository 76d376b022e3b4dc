import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forgePrice } from '#test/support/forge-price.ts';
import { dynamic, openCatalogue, type OpenCatalogue } from '#test/support/open-catalogue.ts';
import { bps } from '../../money/index.ts';
import { writtenOut } from '../../platform/http/index.ts';
import { createPageCache } from './page-cache.ts';
import { customerPatienceMs } from './read-rates.ts';

let shop: OpenCatalogue;
beforeAll(async () => {
  shop = await openCatalogue();
});
afterAll(() => shop.system.close());

beforeEach(async () => {
  await shop.system.db.product.updateMany({ data: { isActive: false } });
  await shop.resumeFeed();
  await shop.setPrice(1_453_000);
});

type Item = Readonly<Record<string, unknown>>;
const itemsOf = (body: Item): Item[] => body['items'] as Item[]; // the page's own form
const namesOf = (body: Item): unknown[] => itemsOf(body).map(({ name }) => name);

describe('the catalogue', () => {
  it('shows active products to all clients, newest first, and each by its id', async () => {
    const old = await shop.create({ name: 'Old ring' });
    shop.system.clock.advance(1000);
    const fresh = await shop.create({ name: 'New ring' });
    const gone = await shop.create({ name: 'No ring', is_active: false });
    const { status, body } = await shop.ask('GET', '/products');
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 2, page: 1, limit: 20 });
    expect(itemsOf(body).map(({ id }) => id)).toEqual([fresh.id, old.id]);
    const one = await shop.ask('GET', `/products/${old.id}`);
    expect(one.body).toEqual(itemsOf(body)[1]);
    expect(one.body).toEqual({
      id: old.id,
      name: 'Old ring',
      description: null,
      category: 'rings',
      purityKarat: 22,
      weightGrams: '3.2000',
      pricingMode: 'FIXED',
      priceBasis: 'FIXED',
      ratePerGram: null,
      makingChargePct: 0,
      discountPct: 0,
      pricePaise: 4_055_000,
      gstPaise: 121_650,
      totalPaise: 4_176_650,
      inStock: true,
      imageUrl: null,
    });
    for (const id of [gone.id, 'x', '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10']) {
      expect((await shop.ask('GET', `/products/${id}`)).code).toBe('NOT_FOUND');
    }
    const headers = await fetch(`${shop.url}/products`, { method: 'HEAD' });
    expect([headers.status, await headers.text()]).toEqual([200, '']);
  });

  it('prices DYNAMIC products by the live price, or by the stored price if there is none', async () => {
    const product = await shop.create({
      ...dynamic,
      weightGrams: 2.45,
      makingChargePct: 12.5,
      discountPct: 10,
    });
    // 2.45 g x 14,530.00 x 22 / 24, then 12.5 % of it, 10 % of that, and GST of 3 %.
    const gold = 3_263_196;
    const [making, discount] = [407_900, 40_790];
    const pricePaise = gold + making - discount;
    const live = {
      priceBasis: 'LIVE',
      ratePerGram: '13319.17',
      pricePaise,
      gstPaise: Math.round(pricePaise * 0.03),
      totalPaise: pricePaise + Math.round(pricePaise * 0.03),
    };
    const read = async () => (await shop.ask('GET', `/products/${product.id}`)).body;
    expect(await read()).toMatchObject(live);
    await shop.setPrice(1_500_000);
    expect(await read()).toMatchObject({ priceBasis: 'LIVE', ratePerGram: '13750.00' });
    await shop.stopFeed();
    expect(await read()).toMatchObject({ ...live, priceBasis: 'FIXED' });
    expect(itemsOf((await shop.ask('GET', '/products')).body)[0]).toEqual(await read());
    await shop.resumeFeed();
    expect(await read()).toMatchObject({ priceBasis: 'LIVE', ratePerGram: '13750.00' });
  });

  it('does not make a customer wait for a feed that does not respond', async () => {
    const product = await shop.create(dynamic);
    const { ask } = await shop.startReplica({ patienceMs: customerPatienceMs });
    await shop.setPrice(1_500_000);
    await shop.system.fault('safegold', 'buy-price', 'slow', { times: 10, delayMs: 8000 });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask('GET', `/products/${product.id}`)),
    );
    expect(answers.map(({ body }) => body['priceBasis'])).toEqual(Array(5).fill('FIXED'));
  });

  it('computes stored prices every hour, and keeps them while there is no live price', async () => {
    const product = await shop.create(dynamic);
    const stored = async () => {
      const row = await shop.system.db.product.findUniqueOrThrow({ where: { id: product.id } });
      return [row.pricePaise, row.ratePerGramPaise];
    };
    const first = await stored();
    await shop.setPrice(1_600_000);
    const pass = () => shop.sweeps.reprice(new AbortController().signal);
    await pass();
    expect(await stored()).toEqual(first);
    shop.system.clock.advance(61 * 60_000);
    shop.wall.advance(11_000);
    await forgePrice(shop.system.redis, { perGramPaise: 4900, asOf: shop.wall.now() });
    await pass();
    expect(await stored()).toEqual([4_693_333n, 1_466_667n]);
    shop.system.clock.advance(61 * 60_000);
    await shop.stopFeed();
    await expect(pass()).rejects.toThrow('price');
    expect(await stored()).toEqual([4_693_333n, 1_466_667n]);
  });

  it('computes stored prices even if the price of another product would be zero', async () => {
    const product = await shop.create(dynamic);
    const speck = { ...dynamic, weightGrams: '0.0001', purityKarat: 1, makingChargePct: 0 };
    const other = await shop.create(speck);
    const stored = async ({ id }: { id: string }) =>
      (await shop.system.db.product.findUniqueOrThrow({ where: { id } })).pricePaise;
    const before = [await stored(product), await stored(other)] as const;
    shop.system.clock.advance(61 * 60_000);
    await shop.setPrice(30_000);
    await shop.sweeps.reprice(new AbortController().signal);
    expect(await stored(product)).not.toBe(before[0]);
    expect(await stored(other)).toBe(before[1]);
  });

  it('serves a cached page only while nothing has changed, on every replica', async () => {
    const other = await shop.startReplica();
    const product = await shop.create({ name: 'Ring of today' });
    const names = async () =>
      Promise.all(
        [shop, other].map(async ({ ask }) => namesOf((await ask('GET', '/products')).body)),
      );
    expect(await names()).toEqual([['Ring of today'], ['Ring of today']]);
    // This statement changes the database without any route or cache.
    await shop.system.db.product.update({ where: { id: product.id }, data: { name: 'Renamed' } });
    expect(await names()).toEqual([['Renamed'], ['Renamed']]);
    await shop.admin('PATCH', `/products/${product.id}`, { name: 'Ring of tomorrow' });
    expect(await names()).toEqual([['Ring of tomorrow'], ['Ring of tomorrow']]);
    await shop.system.redis.flushall();
    await shop.admin('DELETE', `/products/${product.id}`);
    expect(await names()).toEqual([[], []]);
  });

  it('makes a page once for concurrent requests, within its limit of memory', async () => {
    const { db } = shop.system;
    const rates = { rate24KPaise: undefined, gstBps: bps(300n) };
    const pages = createPageCache({ db, readRates: async () => rates, maxBytes: 2000 });
    const madeKeys: string[] = [];
    const ask = (key: string) =>
      pages.reply(key, async () => {
        madeKeys.push(key);
        if (key === 'none') return undefined;
        if (key === 'broken') throw new Error('no database');
        return writtenOut({ key, text: 'x'.repeat(700) });
      });
    await Promise.all(Array.from({ length: 50 }, () => ask('a')));
    await ask('b');
    await ask('a');
    expect(madeKeys).toEqual(['a', 'b']);
    // The third page does not fit beside both, so the least recently used page is dropped.
    await ask('c');
    await ask('a');
    await ask('b');
    expect(madeKeys).toEqual(['a', 'b', 'c', 'b']);
    expect([await ask('none'), await ask('none')]).toEqual([undefined, undefined]);
    await expect(ask('broken')).rejects.toThrow('no database');
    await expect(ask('broken')).rejects.toThrow('no database');
    expect(madeKeys.slice(4)).toEqual(['none', 'none', 'broken', 'broken']);
  });
});
