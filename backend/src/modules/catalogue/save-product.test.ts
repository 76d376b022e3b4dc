import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { dynamic, openCatalogue, type OpenCatalogue } from '#test/support/open-catalogue.ts';

let shop: OpenCatalogue;
beforeAll(async () => {
  shop = await openCatalogue();
});
afterAll(() => shop.system.close());

beforeEach(async () => {
  await shop.resumeFeed();
});

type Item = Readonly<Record<string, unknown>>;

describe('operators', () => {
  it.each([
    ['GET', '/products', [200, 200, 200]],
    ['GET', '/products/ID', [200, 200, 200]],
    ['POST', '/products', [400, 400, 403]],
    ['PATCH', '/products/ID', [400, 400, 403]],
    ['POST', '/products/ID/image', [400, 400, 403]],
    ['DELETE', '/products/ID', [204, 204, 403]],
  ])('%s %s by their roles, and no one else', async (method, path, statuses) => {
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

  it('write products, and each write is audited with before and after', async () => {
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

  it('count pieces, which customers see as in stock or not', async () => {
    const { id } = await shop.create({ stock: 2 });
    const shown = async () => (await shop.ask('GET', `/products/${id}`)).body;
    const set = async (change: object) =>
      (await shop.admin('PATCH', `/products/${id}`, change)).body;
    expect(await shown()).toMatchObject({ inStock: true });
    expect(await shown()).not.toHaveProperty('stock');
    expect(await set({ stock: 0 })).toMatchObject({ stock: 0, inStock: true });
    expect(await shown()).toMatchObject({ inStock: false });
    expect(await set({ name: 'Renamed' })).toMatchObject({ stock: 0 });
    expect(await set({ stock: null })).toMatchObject({ stock: null });
    expect(await shown()).toMatchObject({ inStock: true });
    for (const stock of [-1, 1.5, 100_001, '3']) {
      const answer = await shop.admin('PATCH', `/products/${id}`, { stock });
      expect(answer).toMatchObject({ status: 400, field: 'stock' });
    }
  });

  it('who change different fields concurrently all succeed', async () => {
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
    // The stored price is computed by all five changes, in any order.
    const row = await shop.system.db.product.findUniqueOrThrow({ where: { id } });
    expect(row.pricePaise).toBe(1_144_238n);
    const audits = await shop.system.db.auditLog.count({
      where: { targetId: id, action: 'product.update' },
    });
    expect(audits).toBe(5);
  });

  it('may send a product back as they read it with a changed field', async () => {
    for (const product of [await shop.create(), await shop.create(dynamic)]) {
      const path = `/products/${product.id}`;
      const { body: read } = await shop.admin('GET', path);
      const changed = await shop.admin('PATCH', path, { ...read, name: 'Renamed' });
      const { updatedAt: _updatedAt, ...same } = read;
      expect(changed).toMatchObject({ status: 200, body: { ...same, name: 'Renamed' } });
    }
    // Without `priceBasis` the price is a change, which a DYNAMIC product refuses.
    const { id } = await shop.create(dynamic);
    const refused = await shop.admin('PATCH', `/products/${id}`, { pricePaise: 1 });
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('can rename a DYNAMIC product without a live price, but neither create nor reprice one', async () => {
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

  it('change the pricing mode together with the fields that the new one needs', async () => {
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

  it('get errors for an empty change and for an unknown product', async () => {
    const { id } = await shop.create();
    expect((await shop.admin('PATCH', `/products/${id}`, {})).code).toBe('VALIDATION_FAILED');
    const nowhere = '/products/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10';
    expect((await shop.admin('PATCH', nowhere, { name: 'x' })).status).toBe(404);
    expect((await shop.admin('DELETE', nowhere)).status).toBe(404);
    expect((await shop.admin('POST', `${nowhere}/image`, { dataBase64: 'AAAA' })).status).toBe(404);
  });
});
