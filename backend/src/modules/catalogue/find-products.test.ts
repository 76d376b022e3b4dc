import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCatalogue, type OpenCatalogue } from '#test/support/open-catalogue.ts';

let shop: OpenCatalogue;
beforeAll(async () => {
  shop = await openCatalogue();
});
afterAll(() => shop.system.close());

beforeEach(async () => {
  await shop.system.db.product.updateMany({ data: { isActive: false } });
});

type Item = Readonly<Record<string, unknown>>;
const itemsOf = (body: Item): Item[] => body['items'] as Item[]; // the page's own form
const namesOf = (body: Item): unknown[] => itemsOf(body).map(({ name }) => name);
const search = async (q: string): Promise<unknown[]> =>
  namesOf((await shop.ask('GET', `/products?q=${encodeURIComponent(q)}`)).body);

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

  it('corrects a word that a corrected product no longer has', async () => {
    const { id } = await shop.create({ name: 'Lotus pendnat', category: 'lotus' });
    const twin = await shop.create({ name: 'Rose pendnat', category: 'lotus' });
    const words = async () => {
      const word = { in: ['pendnat', 'pendant', 'lotus', 'rose'] };
      const rows = await shop.system.db.productWord.findMany({ where: { word } });
      return rows.map((row) => row.word).toSorted();
    };
    await shop.admin('PATCH', `/products/${id}`, { name: 'Lotus pendant' });
    expect(await words()).toEqual(['lotus', 'pendant', 'pendnat', 'rose']);
    // The last product with the word is deactivated.
    await shop.admin('DELETE', `/products/${twin.id}`);
    expect(await words()).toEqual(['lotus', 'pendant']);
    expect(await search('lotus pendnat')).toEqual(['Lotus pendant']);
    await shop.admin('PATCH', `/products/${twin.id}`, { is_active: true });
    expect(await search('rose pendnat')).toEqual(['Rose pendnat']);
  });

  it('keeps a word if one product gains it while another loses it', async () => {
    const loser = await shop.create({ name: 'Paisley ring', category: 'ornaments' });
    const winner = await shop.create({ name: 'Oval ring', category: 'ornaments' });
    await Promise.all([
      shop.admin('PATCH', `/products/${loser.id}`, { name: 'Plain ring' }),
      shop.admin('PATCH', `/products/${winner.id}`, { name: 'Paisley ring' }),
    ]);
    const found = await shop.system.db.productWord.count({ where: { word: 'paisley' } });
    expect(found).toBe(1);
  });

  it('ranks a name above a description', async () => {
    expect(await search('chain')).toEqual(['Rope chain', 'Temple pendant']);
    expect(await search('plain')).toEqual(['Plain band ring', 'Gold coin, 1 g']);
  });

  it('finds nothing for a word that is similar to none, and for text without words', async () => {
    for (const q of ['zzzzzz', 'laptop', '!!!', '&|():*<->', "';--", '💍']) {
      expect({ q, found: await search(q) }).toEqual({ q, found: [] });
    }
    expect(await search('  ')).toHaveLength(6);
  });

  it('accepts any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (q) => {
        const { status } = await shop.ask('GET', `/products?q=${encodeURIComponent(q)}`);
        expect(q.includes('\u0000') ? [400] : [200]).toContain(status);
      }),
      { numRuns: 150 },
    );
    expect((await shop.ask('GET', `/products?q=${'x'.repeat(101)}`)).field).toBe('q');
  });

  it('finds only active products of the category', async () => {
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
  it('of any filter match a plain model', async () => {
    const categories = ['rings', 'Chains', 'coins'] as const;
    const pieces: { name: string; category: string; active: boolean; stock: boolean }[] = [];
    for (let index = 0; index < 24; index += 1) {
      const category = categories[index % 3] ?? 'rings';
      const [active, stock] = [index % 4 !== 0, index % 5 !== 0];
      pieces.unshift({ name: `Piece ${index}`, category, active, stock });
      shop.system.clock.advance(1000);
      await shop.create({ name: `Piece ${index}`, category, is_active: active, inStock: stock });
    }
    const page = fc.record({
      category: fc.option(fc.constantFrom('rings', 'chains', 'COINS', 'none'), { nil: undefined }),
      page: fc.integer({ min: 1, max: 6 }),
      limit: fc.integer({ min: 1, max: 10 }),
    });
    const expectPage = (body: Item, all: typeof pieces, at: { page: number; limit: number }) => {
      const from = (at.page - 1) * at.limit;
      expect(namesOf(body)).toEqual(all.slice(from, from + at.limit).map(({ name }) => name));
      expect(body).toMatchObject({ total: all.length, page: at.page, limit: at.limit });
    };
    await fc.assert(
      fc.asyncProperty(page, async (given) => {
        const { body } = await shop.ask('GET', `/products?${textOf(given)}`);
        const all = pieces.filter(({ active }) => active).filter(isOf(given.category));
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
        const all = pieces
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
