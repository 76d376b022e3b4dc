import { describe, expect } from 'vitest';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import {
  goodAddress,
  usualRate,
  type OpenProductOrders,
} from '#test/support/open-product-orders.ts';
import { productOrdersTest } from '#test/support/product-orders-test.ts';
import { addPaise, paise } from '../../money/index.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const it = productOrdersTest();

let keys = 0;
const newKey = (): string => `product-order-${(keys += 1)}`;
const ordersOf = (open: OpenProductOrders, userId: string) =>
  open.system.db.productOrder.findMany({
    where: { userId },
    include: { lines: { orderBy: { lineNo: 'asc' } }, events: true },
  });

describe('an order is refused', () => {
  it('when the total differs from the expected total, and the key can be used again', async ({
    open,
  }) => {
    const { userId, call } = await open.customer();
    const product = await open.product({ pricingMode: 'DYNAMIC' });
    const seen = await open.order(call, [product]);
    const expectedTotal = Number(seen.body['totalPaise']) / 100;
    const body = { idempotencyKey: newKey(), expectedTotal };
    open.conditions.rate24K = addPaise(usualRate, paise(1n));
    const changed = await open.order(call, [product], body);
    expect(changed).toMatchObject({ status: 409, code: 'PRICE_CHANGED', field: 'expectedTotal' });
    const { details } = Object(changed.body['error']) as { details: { totalPaise: number } };
    expect(details.totalPaise).toBeGreaterThan(Number(seen.body['totalPaise']));
    expect(await ordersOf(open, userId)).toHaveLength(1);
    const agreed = (details.totalPaise / 100).toFixed(2);
    const placed = await open.order(call, [product], { ...body, expectedTotal: agreed });
    expect(placed).toMatchObject({ status: 201, body: { totalPaise: details.totalPaise } });
  });

  it('when a product is unknown, inactive or out of stock, naming each line', async ({ open }) => {
    const { userId, call } = await open.customer();
    const ids = [
      await open.product(),
      open.system.random.uuid(),
      await open.product({ isActive: false }),
      await open.product({ inStock: false, pricingMode: 'DYNAMIC' }),
    ];
    open.conditions.rate24K = undefined;
    const answer = await open.order(call, ids, { idempotencyKey: newKey() });
    expect(answer).toMatchObject({
      status: 400,
      code: 'PRODUCT_UNAVAILABLE',
      field: 'items.1.productId',
      body: {
        error: {
          details: [
            { field: 'items.1.productId', message: 'is not available' },
            { field: 'items.2.productId', message: 'is not available' },
            { field: 'items.3.productId', message: 'is out of stock' },
          ],
        },
      },
    });
    expect(await ordersOf(open, userId)).toEqual([]);
  });

  it('while a DYNAMIC product has no live price, but not for a FIXED product', async ({ open }) => {
    const { call } = await open.customer();
    const [fixed, dynamic] = [await open.product(), await open.product({ pricingMode: 'DYNAMIC' })];
    const wall = createManualClock(new Date());
    const signedIn = await open.replica({ clients: { wall }, usesLivePrice: true });
    const { userId } = await open.customer();
    const body = { idempotencyKey: newKey() };
    await open.system.fault('safegold', 'buy-price', 'error', { times: 50 });
    const refused = await open.order(signedIn(userId), [fixed, dynamic], body);
    expect(refused).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect((await open.order(signedIn(userId), [fixed])).status).toBe(201);
    await open.system.sandbox.control('DELETE', '/faults');
    expect((await open.order(call, [fixed, dynamic], body)).status).toBe(201);
  });

  it.for<[string, Record<string, unknown>, string]>([
    ['no line', { items: [] }, 'items'],
    ['no items', { items: undefined }, 'items'],
    ['a product twice', { items: ['same', 'same'] }, 'items.1.productId'],
    ['a product twice in another case', { items: ['same', 'SAME'] }, 'items.1.productId'],
    ['nothing of a product', { quantity: 0 }, 'items.0.quantity'],
    ['eleven pieces', { quantity: 11 }, 'items.0.quantity'],
    ['half a piece', { quantity: 0.5 }, 'items.0.quantity'],
    ['pieces as text', { quantity: '1' }, 'items.0.quantity'],
    ['a product without an id', { items: ['none'] }, 'items.0.productId'],
    ['three decimals of a rupee', { expectedTotal: '1.001' }, 'expectedTotal'],
    ['a negative total', { expectedTotal: -1 }, 'expectedTotal'],
    ['a short key', { idempotencyKey: 'short' }, 'idempotencyKey'],
    ['no address', { shippingAddress: undefined }, 'shippingAddress'],
  ])('with %s', async ([_what, { items, quantity, ...more }, field], { open }) => {
    const { userId, call } = await open.customer();
    const product = await open.product();
    const idOf = (name: unknown): unknown =>
      name === 'same' ? product : name === 'SAME' ? product.toUpperCase() : name;
    const named = Array.isArray(items) ? items.map(idOf) : [product];
    const lines = named.map((productId) => ({ productId, quantity: quantity ?? 1 }));
    const body = { items: lines, shippingAddress: goodAddress, ...more };
    const sent = items === undefined && _what === 'no items' ? { ...body, items } : body;
    const answer = await call('POST', '/product-orders', sent);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    expect(await ordersOf(open, userId)).toEqual([]);
  });

  it.for<[string, unknown]>([
    ['name', ''],
    ['name', '   '],
    ['name', 'a\u0000b'],
    ['name', 'Asha\r\nX-Evil: 1'],
    ['name', 'A'.repeat(101)],
    ['name', '\u202eoaR ahsA'],
    ['name', 'Asha\u2028Rao'],
    ['name', '\u200b\u200b'],
    ['name', '12'],
    ['city', '\u3164'],
    ['line1', 'A\u200e 12'],
    ['name', { first: 'Asha' }],
    ['line1', 'A'.repeat(201)],
    ['line1', '\ud800'],
    ['line2', ''],
    ['city', '\t'],
    ['state', 7],
    ['phone', '1234567890'],
    ['phone', '+929876543210'],
    ['phone', '९८७६५४३२१०'],
    ['pincode', '012345'],
    ['pincode', '56001'],
    ['pincode', 560_001],
    ['pincode', '५६०००१'],
  ])('with the address %s %j', async ([field, value], { open }) => {
    const { userId, call } = await open.customer();
    const shippingAddress = { ...goodAddress, [field]: value };
    const answer = await open.order(call, [await open.product()], { shippingAddress });
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      field: `shippingAddress.${field}`,
    });
    expect(await ordersOf(open, userId)).toEqual([]);
  });

  it('but not for an address whose second line is null', async ({ open }) => {
    const { call } = await open.customer();
    const shippingAddress = { ...goodAddress, line2: null };
    const placed = await open.order(call, [await open.product()], { shippingAddress });
    expect(placed.status).toBe(201);
    expect(placed.body['shippingAddress']).not.toHaveProperty('line2', expect.any(String));
  });

  it('but not for an address that only looks hostile', async ({ open }) => {
    const { call } = await open.customer();
    const shippingAddress = {
      ...goodAddress,
      name: "Robert'); DROP TABLE product_order;--",
      line1: '<script>alert(1)</script> ${7*7} %00 ../../etc',
      line2: 'क\u094d\u200dष, 🏠',
    };
    const placed = await open.order(call, [await open.product()], { shippingAddress });
    expect(placed).toMatchObject({
      status: 201,
      body: { shippingAddress: { ...shippingAddress, phone: '+919876543210' } },
    });
  });
});

const productWith = (set: string): string => `UPDATE product SET ${set} WHERE id = $1::uuid`;

/** Orders a product that another transaction changes between the read and the insert. */
const orderDuringChange = async (
  open: OpenProductOrders,
  set: string,
  how: 'commit' | 'release',
  more: object = {},
) => {
  const { userId, call } = await open.customer();
  const product = await open.product();
  const { databaseUrl } = open.system.addresses;
  const held = await lockRows(databaseUrl, productWith(set), [product]);
  const ordering = open.order(call, [product], more);
  await untilBlocked(databaseUrl, 1);
  await held[how]();
  return { answer: await ordering, orders: await ordersOf(open, userId), product, call };
};

describe('a change between the read and the insert', () => {
  it('that deactivates a product refuses the order', async ({ open }) => {
    const { answer, orders } = await orderDuringChange(open, 'is_active = false', 'commit');
    expect(answer).toMatchObject({
      status: 400,
      code: 'PRODUCT_UNAVAILABLE',
      field: 'items.0.productId',
    });
    expect(orders).toEqual([]);
  });

  it('that is rolled back does not refuse the order', async ({ open }) => {
    const { answer, orders } = await orderDuringChange(open, 'is_active = false', 'release');
    expect(answer.status).toBe(201);
    expect(orders).toHaveLength(1);
  });

  it('of a price applies the new price, or refuses the order if the old one was expected', async ({
    open,
  }) => {
    const free = await orderDuringChange(open, 'price_paise = 600000', 'commit');
    expect(free.answer).toMatchObject({ status: 201, body: { totalPaise: 618_000 } });
    const body = { expectedTotal: '1129', idempotencyKey: newKey() };
    const bound = await orderDuringChange(open, 'price_paise = 600000', 'commit', body);
    expect(bound.answer).toMatchObject({ status: 409, code: 'PRICE_CHANGED' });
    expect(bound.orders).toEqual([]);
    const agreed = { ...body, expectedTotal: '6180' };
    expect((await open.order(bound.call, [bound.product], agreed)).status).toBe(201);
  });

  it('that deletes the customer refuses the order', async ({ open }) => {
    const { userId, call } = await open.customer();
    const product = await open.product();
    const { databaseUrl } = open.system.addresses;
    const held = await lockRows(
      databaseUrl,
      `UPDATE app_user SET deleted_at = now(), phone = NULL, phone_hash = NULL
       WHERE id = $1::uuid`,
      [userId],
    );
    const ordering = open.order(call, [product]);
    await untilBlocked(databaseUrl, 1);
    await held.commit();
    expect(await ordering).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await ordersOf(open, userId)).toEqual([]);
  });
});

describe('the open deliveries of a customer', () => {
  it('are at most twenty orders that are not delivered, cancelled or returned', async ({
    open,
  }) => {
    const { userId, call } = await open.customer();
    const product = await open.product();
    for (let count = 0; count < 20; count += 1) {
      expect((await open.order(call, [product])).status).toBe(201);
    }
    const key = { idempotencyKey: newKey() };
    expect(await open.order(call, [product], key)).toMatchObject({
      status: 400,
      code: 'LIMIT_EXCEEDED',
      body: { error: { details: { limit: 'openDeliveries', most: 20 } } },
    });
    const other = await open.customer();
    expect((await open.order(other.call, [product])).status).toBe(201);
    const [first, second] = await ordersOf(open, userId);
    const operator = await open.operator();
    const move = async (id: string | undefined, ...statuses: readonly string[]) => {
      for (const status of statuses) {
        const path = `/product-orders/${id ?? ''}/status`;
        expect((await operator.call('PATCH', path, { status })).status).toBe(200);
      }
    };
    await move(first?.id, 'CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED');
    await move(second?.id, 'CANCELLED');
    expect((await open.order(call, [product], key)).status).toBe(201);
    expect((await open.order(call, [product])).status).toBe(201);
    expect(await open.order(call, [product])).toMatchObject({ status: 400 });
    // A repeat of the key returns its order, even though the limit is reached.
    expect(await open.order(call, [product], key)).toMatchObject({ status: 200 });
  });

  it('have at most the sum of the limits, even with concurrent orders', async ({ open }) => {
    const { userId, call } = await open.customer();
    // Each order is INR 300,000 plus GST, so three orders are INR 927,000.
    const product = await open.product({ pricePaise: 30_000_000n });
    const answers = await Promise.all(Array.from({ length: 6 }, () => open.order(call, [product])));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ code }) => code)).toEqual(Array(3).fill('LIMIT_EXCEEDED'));
    expect(refused[0]?.body).toMatchObject({
      error: { details: { limit: 'maxOpenDeliveryPaise', limitPaise: 100_000_000 } },
    });
    expect(await ordersOf(open, userId)).toHaveLength(3);
    const metrics = await open.system.metrics.registry.metrics();
    expect(metrics).toMatch(/bound_reached_total\{[^}]*bound="open_deliveries"[^}]*\} [1-9]/u);
  });
});
