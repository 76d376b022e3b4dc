import { describe, expect } from 'vitest';
import { forgePrice } from '#test/support/forge-price.ts';
import { freePort } from '#test/support/free-port.ts';
import { goodAddress, type OpenProductOrders } from '#test/support/open-product-orders.ts';
import { productOrdersTest } from '#test/support/product-orders-test.ts';
import { paise } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createRedis } from '../../platform/redis/index.ts';
import { createProductOrderKeyPurge, eraseProductOrders } from './index.ts';

const it = productOrdersTest();

const dayMs = 86_400_000;

let keys = 0;
const newKey = (): string => `product-order-${(keys += 1)}`;
const ordersOf = (open: OpenProductOrders, userId: string) =>
  open.system.db.productOrder.findMany({
    where: { userId },
    include: { lines: { orderBy: { lineNo: 'asc' } }, events: true },
  });

describe('an order', () => {
  it('is priced by the server, line by line, and keeps its names and prices', async ({ open }) => {
    const { userId, call } = await open.customer();
    const [ring, chain] = [
      await open.product({
        name: 'Ring ਮੁੰਦਰੀ "22K"',
        pricingMode: 'DYNAMIC',
        makingChargeBps: 1250,
        discountBps: 1000,
      }),
      await open.product({ name: "Chain'); --", pricePaise: 33_350n }),
    ];
    const items = [
      { productId: ring, quantity: 1, unitPricePaise: 1 },
      { productId: chain, quantity: 3, lineTotalPaise: 1 },
    ];
    const placed = await call('POST', '/product-orders', {
      items,
      shippingAddress: goodAddress,
      totalPaise: 1,
    });
    expect(placed.status).toBe(201);
    // The ring has gold 2314354, making charge 289294, and a discount 28929. 3 % of the chains'
    // 100050 is 3001.5.
    expect(placed.body).toMatchObject({
      status: 'PLACED',
      items: [
        {
          productId: ring,
          name: 'Ring ਮੁੰਦਰੀ "22K"',
          quantity: 1,
          unitPricePaise: 2_574_719,
          gstPaise: 77_242,
          lineTotalPaise: 2_651_961,
        },
        {
          productId: chain,
          name: "Chain'); --",
          quantity: 3,
          unitPricePaise: 33_350,
          gstPaise: 3_002,
          lineTotalPaise: 103_052,
        },
      ],
      itemsTotalPaise: 2_674_769,
      gstPaise: 80_244,
      deliveryFeePaise: 0,
      totalPaise: 2_755_013,
      paymentMethod: 'COD',
      shipment: null,
      shippingAddress: { ...goodAddress, phone: '+919876543210' },
    });
    await open.system.db.product.updateMany({
      where: { id: { in: [ring, chain] } },
      data: { name: 'Another', pricePaise: 1n, isActive: false },
    });
    open.conditions.rate24K = paise(1n);
    const id = String(placed.body['id']);
    const history = [{ status: 'PLACED', at: placed.body['createdAt'] }];
    const shown = (await call('GET', `/product-orders/${id}`)).body;
    const documents = { invoiceNumber: null, creditNoteNumber: null };
    expect(shown).toEqual({ ...placed.body, ...documents, history });
    const [row] = await ordersOf(open, userId);
    expect(row?.events).toMatchObject([
      { fromStatus: null, toStatus: 'PLACED', cause: 'order.placed', actor: `customer:${userId}` },
    ]);
    expect(row?.shippingAddressSealed).not.toContain('MG Road');
  });

  it('uses the price that the provider confirms, whatever Redis contains', async ({ open }) => {
    const { userId } = await open.customer();
    const product = await open.product({ pricingMode: 'DYNAMIC', weightGrams: '1.2' });
    const wall = createManualClock(new Date());
    const set = { buyPaise: 741_000, sellPaise: 719_000, spotPaise: 730_000 };
    await open.system.sandbox.control('PUT', '/price', set);
    await forgePrice(open.system.redis, { perGramPaise: 4900, asOf: wall.now() });
    const signedIn = await open.replica({ clients: { wall }, usesLivePrice: true });
    const { body } = await open.order(signedIn(userId), [product]);
    // The product has 1.2 g of 22 karat gold at 7,410.00.
    expect(body['items']).toMatchObject([{ unitPricePaise: 815_100 }]);
  });

  it('has a delivery fee below the amount of free delivery, before GST', async ({ open }) => {
    const { call } = await open.customer();
    const feeOf = async (pricePaise: bigint) => {
      const { body } = await open.order(call, [await open.product({ pricePaise })]);
      return body['deliveryFeePaise'];
    };
    expect([await feeOf(499_999n), await feeOf(500_000n)]).toEqual([9900, 0]);
  });

  it('has up to 20 lines, each with the next number', async ({ open }) => {
    const { userId, call } = await open.customer();
    const products = await Promise.all(Array.from({ length: 21 }, () => open.product()));
    const refused = await open.order(call, products);
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: 'items' });
    const twenty = products.slice(1);
    const placed = await open.order(call, twenty);
    expect(placed.status).toBe(201);
    expect(placed.body).toMatchObject({ itemsTotalPaise: 2_000_000, gstPaise: 60_000 });
    const [order, ...more] = await ordersOf(open, userId);
    expect(more).toEqual([]);
    expect(order?.lines.map(({ lineNo, productId }) => [lineNo, productId])).toEqual(
      twenty.map((id, index) => [index + 1, id]),
    );
  });

  it('uses the GST rate in force on its day', async ({ open }) => {
    const { call } = await open.customer();
    const { db, clock, random } = open.system;
    const ids = [await open.product()];
    const from = new Date(clock.now().getTime() + 2 * dayMs);
    await db.statutoryParameter.create({
      data: {
        id: random.uuid(),
        key: 'gst_rate_bps',
        value: '500',
        effectiveFrom: new Date(istDate(from)),
        createdAt: clock.now(),
      },
    });
    const before = await open.order(call, ids);
    clock.advance(4 * dayMs);
    const after = await open.order(call, ids);
    clock.advance(-4 * dayMs);
    expect([before.body['gstPaise'], after.body['gstPaise']]).toEqual([3000, 5000]);
  });

  it('is shown in the feed of transactions', async ({ open }) => {
    const { call } = await open.customer();
    const { body } = await open.order(call, [await open.product()]);
    const feed = await call('GET', '/transactions');
    expect(feed.body).toMatchObject({
      total: 1,
      items: [
        {
          id: body['id'],
          kind: 'PRODUCT_ORDER',
          status: 'PLACED',
          amountPaise: 112_900,
          grams: null,
        },
      ],
    });
  });

  it('is listed and read only by its customer', async ({ open }) => {
    const [{ call }, stranger] = [await open.customer(), await open.customer()];
    const product = await open.product();
    const ids: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await open.order(call, [product])).body['id']);
      open.system.clock.advance(1000);
    }
    const page = await call('GET', '/product-orders?limit=2');
    expect(page.body).toMatchObject({ total: 3, page: 1, limit: 2 });
    // The response was checked against its schema.
    const items = page.body['items'] as { id: string; shippingAddress: unknown }[];
    expect(items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(items[0]?.shippingAddress).toMatchObject({ line1: '12 MG Road' });
    for (const id of [ids[0], open.system.random.uuid(), 'x']) {
      const answer = await stranger.call('GET', `/product-orders/${String(id)}`);
      expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
    expect((await stranger.call('GET', '/product-orders')).body['total']).toBe(0);
    expect((await open.as()('GET', '/product-orders')).status).toBe(401);
    expect((await open.order(open.as(), [product])).status).toBe(401);
  });
});

it('orders are filtered for operators by time of creation and by amount', async ({ open }) => {
  const { call, userId } = await open.customer();
  const [cheap, dear] = [
    await open.product({ pricePaise: 100_000n }),
    await open.product({ pricePaise: 900_000n }),
  ];
  const made: Readonly<Record<string, unknown>>[] = [];
  for (const product of [cheap, dear, cheap]) {
    made.push((await open.order(call, [product])).body);
    open.system.clock.advance(1000);
  }
  const [first, second, third] = made.map(({ id }) => id);
  const at = encodeURIComponent(String(made[1]?.['createdAt']));
  const { call: operator } = await open.operator('SUPPORT');
  const idsOf = async (query: string) => {
    const { body } = await operator('GET', `/product-orders?userId=${userId}&${query}`);
    // The response was checked against its schema.
    const items = body['items'] as { id: string }[];
    expect(body['total']).toBe(items.length);
    return items.map(({ id }) => id);
  };
  expect(await idsOf(`from=${at}`)).toEqual([third, second]);
  expect(await idsOf(`to=${at}`)).toEqual([first]);
  expect(await idsOf('minPaise=500000')).toEqual([second]);
  expect(await idsOf('maxPaise=500000')).toEqual([third, first]);
  expect((await operator('GET', '/product-orders?to=today')).status).toBe(400);
});

describe('a repeat of an idempotency key', () => {
  it('creates one order from 20 concurrent requests', async ({ open }) => {
    const { userId, call } = await open.customer();
    const body = { idempotencyKey: newKey(), expectedTotal: '1129.00' };
    const product = await open.product();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => open.order(call, [product], body)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    for (const { status, headers, body: view } of answers) {
      expect(view).toEqual(answers[0]?.body);
      expect(headers.get('idempotent-replayed')).toBe(status === 200 ? 'true' : null);
    }
    const orders = await ordersOf(open, userId);
    expect(orders).toMatchObject([{ lines: [{ lineNo: 1 }], events: [{ toStatus: 'PLACED' }] }]);
    expect((await call('GET', '/transactions')).body['total']).toBe(1);
  });

  it('returns the current order, even if product and price have changed', async ({ open }) => {
    const { call } = await open.customer();
    const { db } = open.system;
    const product = await open.product({ pricingMode: 'DYNAMIC' });
    const body = { idempotencyKey: newKey() };
    const placed = await open.order(call, [product], body);
    await db.product.update({ where: { id: product }, data: { inStock: false } });
    open.conditions.rate24K = undefined;
    const spelled = { shippingAddress: { ...goodAddress, phone: '+919876543210', more: 1 } };
    const again = await open.order(call, [product], { ...body, ...spelled });
    expect(again).toMatchObject({ status: 200, body: placed.body });
  });

  it.for<[string, Record<string, unknown>]>([
    ['another quantity', { items: 2 }],
    [
      'another address',
      { items: undefined, shippingAddress: { ...goodAddress, line1: '13 MG Road' } },
    ],
    ['another expectation', { items: undefined, expectedTotal: 1 }],
  ])(
    'with %s is refused, even if the order would be refused too',
    async ([, { items, ...more }], { open }) => {
      const { call } = await open.customer();
      const product = await open.product();
      const idempotencyKey = newKey();
      const first = await open.order(call, [product], { idempotencyKey });
      const lines = items === undefined ? {} : { items: [{ productId: product, quantity: items }] };
      const reused = { status: 409, code: 'IDEMPOTENCY_KEY_REUSED' };
      const repeat = { idempotencyKey, ...more, ...lines };
      expect(await open.order(call, [product], repeat)).toMatchObject(reused);
      await open.system.db.product.update({ where: { id: product }, data: { isActive: false } });
      expect(await open.order(call, [product], repeat)).toMatchObject(reused);
      expect(await open.order(call, [product], { idempotencyKey })).toMatchObject({
        status: 200,
        body: { id: first.body['id'] },
      });
    },
  );

  it('of another customer is another key, and an order without a key is never a repeat', async ({
    open,
  }) => {
    const [one, other] = [await open.customer(), await open.customer()];
    const product = await open.product();
    const body = { idempotencyKey: newKey() };
    const answers = [
      await open.order(one.call, [product], body),
      await open.order(other.call, [product], body),
      await open.order(one.call, [product]),
      await open.order(one.call, [product]),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body: view }) => view['id'])).size).toBe(4);
  });

  it('is a new order once the key is 90 days old', async ({ open }) => {
    const { userId, call } = await open.customer();
    const { db, clock } = open.system;
    const product = await open.product();
    const [old, recent] = [newKey(), newKey()];
    // The clock is far from real time, because the age of an order is of the business clock.
    clock.advance(-200 * dayMs);
    await open.order(call, [product], { idempotencyKey: old });
    clock.advance(91 * dayMs);
    await open.order(call, [product], { idempotencyKey: recent });
    const { deleteBatch } = createProductOrderKeyPurge({ db, clock });
    expect([await deleteBatch(10), await deleteBatch(10)]).toEqual([1, 0]);
    const rows = await ordersOf(open, userId);
    expect(
      rows.map(({ idempotencyKey, payloadHash }) => [idempotencyKey, payloadHash === null]),
    ).toEqual(
      expect.arrayContaining([
        [null, true],
        [recent, false],
      ]),
    );
  });
});

it('a product order works without Redis', async ({ open }) => {
  const redis = createRedis(`redis://127.0.0.1:${await freePort()}`, 'fail-fast');
  const signedIn = await open.replica({ clients: { redis } });
  const { userId } = await open.customer();
  const placed = await open.order(signedIn(userId), [await open.product()]);
  expect(placed).toMatchObject({ status: 201, body: { deliveryFeePaise: 9900 } });
  redis.disconnect();
});

it('a product order loses its address, key and hash with the account, and keeps its amounts', async ({
  open,
}) => {
  const { userId, call } = await open.customer();
  await open.order(call, [await open.product()], { idempotencyKey: newKey() });
  const { inTransaction, clock } = open.system;
  await inTransaction((tx) => eraseProductOrders(tx, { userId, at: clock.now() }));
  expect(await ordersOf(open, userId)).toMatchObject([
    { shippingAddressSealed: '', idempotencyKey: null, payloadHash: null, totalPaise: 112_900n },
  ]);
});
