import { describe, expect } from 'vitest';
import type { OpenProductOrders } from '#test/support/open-product-orders.ts';
import { productOrdersTest } from '#test/support/product-orders-test.ts';
import type { Caller } from '#test/support/caller.ts';

const it = productOrdersTest();

const place = async (open: OpenProductOrders, call: Caller, stock?: number) => {
  const product = await open.product(stock === undefined ? {} : { stock });
  const { status, body } = await open.order(call, [product]);
  expect(status).toBe(201);
  return { product, id: String(body['id']), totalPaise: Number(body['totalPaise']) };
};
const advance = async (call: Caller, id: string, statuses: readonly string[]): Promise<void> => {
  for (const status of statuses) {
    expect((await call('PATCH', `/product-orders/${id}/status`, { status })).status).toBe(200);
  }
};
const stockOf = async (open: OpenProductOrders, productId: string): Promise<number> =>
  (await open.system.db.productStock.findUniqueOrThrow({ where: { productId } })).count;
const upTo = (last: string): string[] => {
  const way = ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'RETURNED'];
  return way.slice(0, way.indexOf(last) + 1);
};

describe('the stock of a product', () => {
  it('is sold once, so that one of twenty concurrent orders for the last piece is placed', async ({
    open,
  }) => {
    const product = await open.product({ stock: 1 });
    const customers = await Promise.all(Array.from({ length: 20 }, () => open.customer()));
    const answers = await Promise.all(customers.map(({ call }) => open.order(call, [product])));
    const placed = answers.filter(({ status }) => status === 201);
    expect(placed).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 400, code: 'PRODUCT_UNAVAILABLE' });
      expect(answer.field).toBe('items.0.productId');
    }
    expect(await stockOf(open, product)).toBe(0);
  });

  it('serves concurrent orders of the same products in any order, without a deadlock', async ({
    open,
  }) => {
    const [one, other] = [await open.product({ stock: 10 }), await open.product({ stock: 10 })];
    const customers = await Promise.all(Array.from({ length: 12 }, () => open.customer()));
    const answers = await Promise.all(
      customers.map(({ call }, index) =>
        open.order(call, index % 2 === 0 ? [one, other] : [other, one]),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect([await stockOf(open, one), await stockOf(open, other)]).toEqual([0, 0]);
  });

  it('is restored once by a cancelled order, and not reduced by a repeat of a key', async ({
    open,
  }) => {
    const { call } = await open.customer();
    const product = await open.product({ stock: 1 });
    const key = { idempotencyKey: 'the-last-piece-1' };
    const { body } = await open.order(call, [product], key);
    expect(await open.order(call, [product], key)).toMatchObject({ status: 200 });
    expect(await stockOf(open, product)).toBe(0);
    const cancel = () => call('POST', `/product-orders/${String(body['id'])}/cancel`);
    const answers = await Promise.all([cancel(), cancel(), cancel()]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    }
    expect(await stockOf(open, product)).toBe(1);
  });

  it('is never negative, whatever inserts a line', async ({ open }) => {
    const { call } = await open.customer();
    const { product, id } = await place(open, call, 1);
    const line = await open.system.db.productOrderLine.findFirstOrThrow({ where: { orderId: id } });
    const data = { ...line, id: open.system.random.uuid(), lineNo: 2, productId: product };
    await expect(open.system.db.productOrderLine.create({ data })).rejects.toThrow(
      'product_stock_count_check',
    );
    expect(await stockOf(open, product)).toBe(0);
  });
});

describe('a customer', () => {
  it('can cancel until the order is packed', async ({ open }) => {
    const { call } = await open.customer();
    const operator = await open.operator();
    for (const [status, expected] of [
      ['CONFIRMED', 200],
      ['PACKED', 409],
      ['SHIPPED', 409],
      ['DELIVERED', 409],
    ] as const) {
      const { id } = await place(open, call);
      await advance(operator.call, id, upTo(status));
      expect((await call('POST', `/product-orders/${id}/cancel`)).status).toBe(expected);
    }
    const { id } = await place(open, call);
    const stranger = await open.customer();
    expect(await stranger.call('POST', `/product-orders/${id}/cancel`)).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
  });

  it('is notified of each status, and sees the shipment and the history', async ({ open }) => {
    const { userId, call } = await open.customer();
    const operator = await open.operator();
    const { id } = await place(open, call);
    const parcel = { carrier: 'Blue Dart', consignmentNumber: 'BD-7729-0041' };
    const name = () => operator.call('PUT', `/product-orders/${id}/shipment`, parcel);
    expect(await name()).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
    await advance(operator.call, id, upTo('PACKED'));
    expect(await name()).toMatchObject({ status: 200, body: { shipment: parcel } });
    await advance(operator.call, id, ['SHIPPED', 'DELIVERED', 'RETURNED']);
    expect(await name()).toMatchObject({ status: 409 });
    const { body } = await call('GET', `/product-orders/${id}`);
    expect(body).toMatchObject({ status: 'RETURNED', shipment: parcel });
    const statuses = ['PLACED', ...upTo('RETURNED')];
    // The response was checked against its schema.
    const history = body['history'] as { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(statuses);
    const told = await open.system.db.notification.findMany({
      where: { userId },
      orderBy: { id: 'asc' },
    });
    expect(told.map(({ type }) => type)).toEqual(
      statuses.map((status) => `product_order_${status.toLowerCase()}`),
    );
    expect(told.find(({ type }) => type.endsWith('shipped'))?.body).toContain('BD-7729-0041');
    const audited = await open.system.db.auditLog.findFirstOrThrow({ where: { targetId: id } });
    expect(audited).toMatchObject({ action: 'product_order.shipment', before: null, after: null });
    expect(audited.sealed).not.toBeNull();
  });
});

describe('cash', () => {
  it('is recorded once for each receipt, up to the total of a delivered order', async ({
    open,
  }) => {
    const { call } = await open.customer();
    const operator = await open.operator();
    const { id, totalPaise } = await place(open, call);
    const record = (amountPaise: number, reference: string, more: object = {}) =>
      operator.call('POST', `/product-orders/${id}/cash`, { amountPaise, reference, ...more });
    await advance(operator.call, id, upTo('SHIPPED'));
    expect(await record(totalPaise, 'R-1')).toMatchObject({
      status: 409,
      code: 'ILLEGAL_TRANSITION',
    });
    await advance(operator.call, id, ['DELIVERED']);
    const twice = await Promise.all([record(10_000, 'R-1'), record(10_000, 'R-1')]);
    for (const answer of twice) {
      expect(answer).toMatchObject({ status: 200, body: { cashReceivedPaise: 10_000 } });
    }
    expect(await record(10_001, 'R-1')).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(await record(totalPaise, 'R-2')).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      field: 'amountPaise',
    });
    const future = { receivedOn: '2100-01-01' };
    expect(await record(1, 'R-2', future)).toMatchObject({ status: 400, field: 'receivedOn' });
    const rest = await record(totalPaise - 10_000, 'R-2');
    expect(rest).toMatchObject({
      status: 200,
      body: {
        cashReceivedPaise: totalPaise,
        cash: [{ reference: 'R-1' }, { reference: 'R-2', recordedBy: operator.adminId }],
      },
    });
  });

  it('is limited by the database to the total of a delivered order', async ({ open }) => {
    const { call } = await open.customer();
    const operator = await open.operator();
    const { id, totalPaise } = await place(open, call);
    const row = () => ({
      id: open.system.random.uuid(),
      orderId: id,
      amountPaise: BigInt(totalPaise) + 1n,
      reference: open.system.random.uuid(),
      receivedOn: open.system.clock.now(),
      recordedBy: operator.adminId,
      recordedAt: open.system.clock.now(),
    });
    const { productOrderCash } = open.system.db;
    await expect(productOrderCash.create({ data: { ...row(), amountPaise: 1n } })).rejects.toThrow(
      'product_order_cash_check',
    );
    await advance(operator.call, id, upTo('DELIVERED'));
    await expect(productOrderCash.create({ data: row() })).rejects.toThrow(
      'product_order_cash_check',
    );
  });
});
