import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { dynamic, openCatalogue, type OpenCatalogue } from '#test/support/open-catalogue.ts';
import { bps } from '../../money/index.ts';
import { writtenOut } from '../../platform/http/index.ts';
import { createWrittenPages } from './written-pages.ts';

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
const search = async (q: string): Promise<unknown[]> =>
  namesOf((await shop.ask('GET', `/products?q=${encodeURIComponent(q)}`)).body);

describe('the catalogue', () => {
  it('shows active products to everybody, the newest first, and each by its id', async () => {
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

  it('prices DYNAMIC products by the live price, and by the stored one while there is none', async () => {
    const product = await shop.create({
      ...dynamic,
      weightGrams: 2.45,
      makingChargePct: 12.5,
      discountPct: 10,
    });
    // 2.45 g x 14,530.00 x 22 / 24; 12.5 % of it; 10 % of that; GST of 3 %.
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

  it('recomputes stored prices every hour, and passes over them while there is no price', async () => {
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
    await pass();
    expect(await stored()).toEqual([4_693_333n, 1_466_667n]);
    shop.system.clock.advance(61 * 60_000);
    await shop.stopFeed();
    await expect(pass()).rejects.toThrow('price');
    expect(await stored()).toEqual([4_693_333n, 1_466_667n]);
  });

  it('serves a page that is written out only while nothing has changed, on every replica', async () => {
    const other = await shop.startReplica();
    const product = await shop.create({ name: 'Ring of today' });
    const names = async () =>
      Promise.all(
        [shop, other].map(async ({ ask }) => namesOf((await ask('GET', '/products')).body)),
      );
    expect(await names()).toEqual([['Ring of today'], ['Ring of today']]);
    // A change that passed by every route and cache of ours.
    await shop.system.db.product.update({ where: { id: product.id }, data: { name: 'Renamed' } });
    expect(await names()).toEqual([['Renamed'], ['Renamed']]);
    await shop.admin('PATCH', `/products/${product.id}`, { name: 'Ring of tomorrow' });
    expect(await names()).toEqual([['Ring of tomorrow'], ['Ring of tomorrow']]);
    await shop.system.redis.flushall();
    await shop.admin('DELETE', `/products/${product.id}`);
    expect(await names()).toEqual([[], []]);
  });

  it('writes a page out once for all who ask at once, within its bound of memory', async () => {
    const { db } = shop.system;
    const rates = { rate24KPaise: undefined, gstBps: bps(300n) };
    const pages = createWrittenPages({ db, readRates: async () => rates, maxBytes: 2000 });
    const made: string[] = [];
    const ask = (key: string) =>
      pages.reply(key, async () => {
        made.push(key);
        if (key === 'none') return undefined;
        if (key === 'broken') throw new Error('no database');
        return writtenOut({ key, text: 'x'.repeat(700) });
      });
    await Promise.all(Array.from({ length: 50 }, () => ask('a')));
    await ask('b');
    await ask('a');
    expect(made).toEqual(['a', 'b']);
    // The third does not fit beside both: the one asked for longest ago goes.
    await ask('c');
    await ask('a');
    await ask('b');
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect([await ask('none'), await ask('none')]).toEqual([undefined, undefined]);
    await expect(ask('broken')).rejects.toThrow('no database');
    await expect(ask('broken')).rejects.toThrow('no database');
    expect(made.slice(4)).toEqual(['none', 'none', 'broken', 'broken']);
  });
});

describe('a search', () => {
  beforeEach(async () => {
    await shop.create({ name: 'Plain band ring', category: 'rings' });
    await shop.create({ name: 'Temple pendant', category: 'pendants', description: 'For a chain' });
    await shop.create({ name: 'Kundan necklace', category: 'necklaces' });
    await shop.create({ name: 'Rope chain', category: 'chains' });
    await shop.create({ name: 'Filigree bracelet', category: 'bracelets' });
    await shop.create({ name: 'Gold coin, 1 g', category: 'coins', description: 'A plain coin' });
  });

  it.each([
    ['ring', 'Plain band ring'],
    ['RINGS', 'Plain band ring'],
    ['rnig', 'Plain band ring'],
    ['rng', 'Plain band ring'],
    ['rinng', 'Plain band ring'],
    ['rign', 'Plain band ring'],
    ['neclace', 'Kundan necklace'],
    ['necklase', 'Kundan necklace'],
    ['nekclace', 'Kundan necklace'],
    ['neck', 'Kundan necklace'],
    ['pendnt', 'Temple pendant'],
    ['tempel pendent', 'Temple pendant'],
    ['braclet', 'Filigree bracelet'],
    ['filigre', 'Filigree bracelet'],
    ['cion', 'Gold coin, 1 g'],
    ['chian', 'Rope chain'],
    ['kundan xyzzyx', 'Kundan necklace'],
    ['  band --  ring!! ', 'Plain band ring'],
  ])('for %s finds %s first', async (q, name) => {
    expect((await search(q))[0]).toBe(name);
  });

  it('ranks a name over a description', async () => {
    expect(await search('chain')).toEqual(['Rope chain', 'Temple pendant']);
    expect(await search('plain')).toEqual(['Plain band ring', 'Gold coin, 1 g']);
  });

  it('finds nothing for what is near to nothing, or is no word', async () => {
    for (const q of ['zzzzzz', 'laptop', '!!!', '&|():*<->', "';--", '💍']) {
      expect({ q, found: await search(q) }).toEqual({ q, found: [] });
    }
    expect(await search('  ')).toHaveLength(6);
  });

  it('takes any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (q) => {
        const { status } = await shop.ask('GET', `/products?q=${encodeURIComponent(q)}`);
        expect(q.includes('\u0000') ? [400] : [200]).toContain(status);
      }),
      { numRuns: 150 },
    );
    expect((await shop.ask('GET', `/products?q=${'x'.repeat(101)}`)).field).toBe('q');
  });

  it('keeps to the category, and to active products', async () => {
    const within = async (query: string) =>
      namesOf((await shop.ask('GET', `/products?${query}`)).body);
    expect(await within('q=chain&category=pendants')).toEqual(['Temple pendant']);
    expect(await within('category=PENDANTS')).toEqual(['Temple pendant']);
    expect(await within('category=')).toHaveLength(6);
    expect(await within('category=no%20such')).toEqual([]);
    await shop.system.db.product.updateMany({ data: { isActive: false } });
    expect(await search('chain')).toEqual([]);
  });
});

const textOf = (given: object): string =>
  Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join('&');

const isOf = (category: string | undefined) => (one: { category: string }) =>
  category === undefined || one.category.toLowerCase() === category.toLowerCase();

describe('pages', () => {
  it('of any filter are those of a plain model', async () => {
    const categories = ['rings', 'Chains', 'coins'] as const;
    const made: { name: string; category: string; active: boolean; stock: boolean }[] = [];
    for (let index = 0; index < 24; index += 1) {
      const category = categories[index % 3] ?? 'rings';
      const [active, stock] = [index % 4 !== 0, index % 5 !== 0];
      made.unshift({ name: `Piece ${index}`, category, active, stock });
      shop.system.clock.advance(1000);
      await shop.create({ name: `Piece ${index}`, category, is_active: active, inStock: stock });
    }
    const page = fc.record({
      category: fc.option(fc.constantFrom('rings', 'chains', 'COINS', 'none'), { nil: undefined }),
      page: fc.integer({ min: 1, max: 6 }),
      limit: fc.integer({ min: 1, max: 10 }),
    });
    const expectPage = (body: Item, all: typeof made, at: { page: number; limit: number }) => {
      const from = (at.page - 1) * at.limit;
      expect(namesOf(body)).toEqual(all.slice(from, from + at.limit).map(({ name }) => name));
      expect(body).toMatchObject({ total: all.length, page: at.page, limit: at.limit });
    };
    await fc.assert(
      fc.asyncProperty(page, async (given) => {
        const { body } = await shop.ask('GET', `/products?${textOf(given)}`);
        const all = made.filter(({ active }) => active).filter(isOf(given.category));
        expectPage(body, all, given);
      }),
      { numRuns: 40 },
    );
    const more = fc.record({
      active: fc.option(fc.boolean(), { nil: undefined }),
      inStock: fc.option(fc.boolean(), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(page, more, async (given, { active, inStock }) => {
        const query = textOf({ ...given, active, inStock, q: 'piece' });
        const { body } = await shop.admin('GET', `/products?${query}`);
        const all = made
          .filter(isOf(given.category))
          .filter((one) => active === undefined || one.active === active)
          .filter((one) => inStock === undefined || one.stock === inStock);
        expectPage(body, all, given);
      }),
      { numRuns: 40 },
    );
  });

  it.each(['page=0', 'limit=101', 'limit=x', 'page=1e3'])('refuse %s', async (query) => {
    expect(await shop.ask('GET', `/products?${query}`)).toMatchObject({ status: 400 });
  });
});

describe('operators', () => {
  it.each([
    ['GET', '/products', [200, 200, 200]],
    ['GET', '/products/ID', [200, 200, 200]],
    ['POST', '/products', [400, 400, 403]],
    ['PATCH', '/products/ID', [400, 400, 403]],
    ['POST', '/products/ID/image', [400, 400, 403]],
    ['DELETE', '/products/ID', [204, 204, 403]],
  ])('%s %s by their roles, and nobody else', async (method, path, statuses) => {
    const { id } = await shop.create();
    const { SUPER_ADMIN, ADMIN, SUPPORT } = shop.tokens;
    const callers = [SUPER_ADMIN, ADMIN, SUPPORT, undefined, 'x'];
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const answers: number[] = [];
    for (const token of callers) {
      const ask = bearerCaller(shop.adminUrl, token);
      answers.push((await ask(method, path.replace('ID', id), body)).status);
    }
    expect(answers).toEqual([...statuses, 401, 401]);
  });

  it('write products, each write audited with before and after', async () => {
    const product = await shop.create({ name: 'Ring', makingChargePct: 7.25 });
    const change = { name: 'Band', pricePaise: 5_000_000, ratePerGram: '13319.17' };
    const changed = await shop.admin('PATCH', `/products/${product.id}`, change);
    expect(changed.body).toMatchObject({ ...change, makingChargePct: 7.25, is_active: true });
    expect((await shop.admin('DELETE', `/products/${product.id}`)).status).toBe(204);
    expect((await shop.admin('DELETE', `/products/${product.id}`)).status).toBe(204);
    expect((await shop.admin('GET', `/products/${product.id}`)).body['is_active']).toBe(false);
    expect((await shop.ask('GET', `/products/${product.id}`)).status).toBe(404);
    const again = await shop.admin('PATCH', `/products/${product.id}`, { is_active: true });
    expect(again.body['is_active']).toBe(true);
    const rows = await shop.system.db.auditLog.findMany({
      where: { targetId: product.id },
      orderBy: { seq: 'asc' },
    });
    expect(rows.map(({ action }) => action)).toEqual([
      'product.create',
      'product.update',
      'product.delete',
      'product.update',
    ]);
    expect(rows[1]).toMatchObject({
      before: { pricePaise: 4_055_000, ratePerGramPaise: null },
      after: { pricePaise: 5_000_000, ratePerGramPaise: 1_331_917 },
    });
    const shown = rows.map(({ before, after }) => ({ before, after }));
    expect(JSON.stringify(shown)).not.toContain('Band');
  });

  it('who change different fields at once both succeed', async () => {
    const { id } = await shop.create(dynamic);
    const changes = [
      { name: 'A', weightGrams: '1' },
      { category: 'b' },
      { purityKarat: 18 },
      { makingChargePct: 5 },
      { inStock: false },
    ];
    const answers = await Promise.all(
      changes.map((change) => shop.admin('PATCH', `/products/${id}`, change)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await shop.admin('GET', `/products/${id}`);
    expect(body).toMatchObject({
      name: 'A',
      weightGrams: '1.0000',
      category: 'b',
      purityKarat: 18,
      makingChargePct: 5,
      inStock: false,
      pricePaise: 1_089_750 + 54_488,
    });
    // The stored price is that of all five changes, whichever came last.
    const row = await shop.system.db.product.findUniqueOrThrow({ where: { id } });
    expect(row.pricePaise).toBe(1_144_238n);
    const audits = await shop.system.db.auditLog.count({
      where: { targetId: id, action: 'product.update' },
    });
    expect(audits).toBe(5);
  });

  it('do not save a DYNAMIC product without a price, but rename it', async () => {
    const product = await shop.create(dynamic);
    await shop.stopFeed();
    const body = {
      name: 'x',
      category: 'x',
      purityKarat: 22,
      weightGrams: '1',
      pricingMode: 'DYNAMIC',
    };
    expect(await shop.admin('POST', '/products', body)).toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
    });
    const patch = (change: object) => shop.admin('PATCH', `/products/${product.id}`, change);
    expect((await patch({ weightGrams: '2' })).status).toBe(503);
    expect(await patch({ name: 'Renamed' })).toMatchObject({
      status: 200,
      body: { name: 'Renamed', priceBasis: 'FIXED', weightGrams: '3.2000' },
    });
  });

  it('change the pricing mode with what the new one needs', async () => {
    const { id } = await shop.create({ ratePerGram: 9000 });
    const patch = (change: object) => shop.admin('PATCH', `/products/${id}`, change);
    const becameDynamic = await patch({ pricingMode: 'DYNAMIC' });
    expect(becameDynamic.body).toMatchObject({ priceBasis: 'LIVE', ratePerGram: '13319.17' });
    expect(await patch({ pricingMode: 'FIXED' })).toMatchObject({
      status: 400,
      field: 'pricePaise',
    });
    expect(await patch({ pricePaise: 5 })).toMatchObject({ status: 400, field: 'pricePaise' });
    const fixed = await patch({ pricingMode: 'FIXED', pricePaise: 100 });
    expect(fixed.body).toMatchObject({ priceBasis: 'FIXED', pricePaise: 100, ratePerGram: null });
  });

  const wrong: [string, unknown, object?][] = [
    ['name', undefined],
    ['name', '   '],
    ['name', 'a\u0007b'],
    ['name', 'x'.repeat(121)],
    ['name', 5],
    ['description', 'x'.repeat(2001)],
    ['description', 'a\u0000b'],
    ['category', ''],
    ['category', 'two\nlines'],
    ['purityKarat', 0],
    ['purityKarat', 25],
    ['purityKarat', 22.5],
    ['purityKarat', '22'],
    ['weightGrams', undefined],
    ['weightGrams', 0],
    ['weightGrams', '0.0000'],
    ['weightGrams', -1],
    ['weightGrams', '1.00001'],
    ['weightGrams', 1e-7],
    ['weightGrams', 10_001],
    ['weightGrams', '1e3'],
    ['pricingMode', 'FREE'],
    ['pricingMode', undefined],
    ['pricePaise', undefined],
    ['pricePaise', 0],
    ['pricePaise', -1],
    ['pricePaise', 1.5],
    ['pricePaise', '100'],
    ['pricePaise', 10_000_000_001],
    ['pricePaise', 100, { pricingMode: 'DYNAMIC' }],
    ['ratePerGram', '10', dynamic],
    ['ratePerGram', 0],
    ['ratePerGram', '1.005'],
    ['ratePerGram', -3],
    ['makingChargePct', -0.01],
    ['makingChargePct', 12.345],
    ['makingChargePct', 100.01],
    ['makingChargePct', '12'],
    ['discountPct', 101],
    ['discountPct', 1e-7],
    ['inStock', 'yes'],
    ['is_active', 1],
  ];
  it.each(wrong)('are refused a product whose %s is %j', async (field, value, more = {}) => {
    const good = {
      name: 'Ring',
      category: 'rings',
      purityKarat: 22,
      weightGrams: '3.2',
      pricingMode: 'FIXED',
      pricePaise: 100,
    };
    const answer = await shop.admin('POST', '/products', { ...good, ...more, [field]: value });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    const details = (answer.body['error'] as Item)['details'] as Item[]; // the envelope's form
    expect(String(details[0]?.['message']).length).toBeGreaterThan(5);
  });

  it('are told of an empty change, and of a product that is not there', async () => {
    const { id } = await shop.create();
    expect((await shop.admin('PATCH', `/products/${id}`, {})).code).toBe('VALIDATION_FAILED');
    const nowhere = '/products/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10';
    expect((await shop.admin('PATCH', nowhere, { name: 'x' })).status).toBe(404);
    expect((await shop.admin('DELETE', nowhere)).status).toBe(404);
    expect((await shop.admin('POST', `${nowhere}/image`, { dataBase64: 'AAAA' })).status).toBe(404);
  });
});
