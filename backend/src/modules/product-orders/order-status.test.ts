import { describe, expect } from 'vitest';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenProductOrders } from '#test/support/open-product-orders.ts';
import { productOrdersTest } from '#test/support/product-orders-test.ts';
import type { Answer, Caller } from '#test/support/caller.ts';
import { productOrderStatuses } from './product-orders.types.ts';

interface Shop {
  readonly place: (call?: Caller) => Promise<string>;
  readonly setStatus: (id: string, status: unknown, call?: Caller) => Promise<Answer>;
  readonly operator: Awaited<ReturnType<OpenProductOrders['operator']>>;
}

/** Creates a product, and an operator who sets the statuses of orders. */
const createShop = async (open: OpenProductOrders): Promise<Shop> => {
  const operator = await open.operator();
  const product = await open.product();
  return {
    operator,
    async place(call) {
      const caller = call ?? (await open.customer()).call;
      return String((await open.order(caller, [product])).body['id']);
    },
    setStatus: (id, status, call = operator.call) =>
      call('PATCH', `/product-orders/${id}/status`, { status }),
  };
};

const it = productOrdersTest().extend('shop', { scope: 'file' }, ({ open }) => createShop(open));

/** The statuses that an order passes on its way to each status. */
const pathTo: Readonly<Record<string, readonly string[]>> = {
  PLACED: [],
  CONFIRMED: ['CONFIRMED'],
  PACKED: ['CONFIRMED', 'PACKED'],
  SHIPPED: ['CONFIRMED', 'PACKED', 'SHIPPED'],
  DELIVERED: ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED'],
  CANCELLED: ['CANCELLED'],
  RETURNED: ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'RETURNED'],
};
/** The statuses to which an order may change from each status. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  PLACED: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['PACKED', 'CANCELLED'],
  PACKED: ['SHIPPED', 'CANCELLED'],
  SHIPPED: ['DELIVERED'],
  DELIVERED: ['RETURNED'],
  CANCELLED: [],
  RETURNED: [],
};
const pairs = productOrderStatuses.flatMap((from) =>
  productOrderStatuses.map((to) => [from, to] as const),
);

describe('the status of an order', () => {
  it.for(pairs)(
    'changes from %s to %s only if the table allows it',
    async ([from, to], { open, shop }) => {
      const { place, setStatus } = shop;
      const id = await place();
      const way = pathTo[from] ?? [];
      for (const status of way) expect((await setStatus(id, status)).status).toBe(200);
      const answer = await setStatus(id, to);
      const row = await open.system.db.productOrder.findUniqueOrThrow({
        where: { id },
        include: { events: { orderBy: { seq: 'asc' } } },
      });
      const isAllowed = allowed[from]?.includes(to) === true;
      const walked = ['PLACED', ...way, ...(isAllowed ? [to] : [])];
      expect(row.status).toBe(walked.at(-1));
      expect(row.events.map(({ toStatus }) => toStatus)).toEqual(walked);
      expect(answer).toMatchObject(
        isAllowed
          ? { status: 200, body: { id, status: to } }
          : {
              status: 409,
              code: 'ILLEGAL_TRANSITION',
              body: { error: { details: { status: from, from, to } } },
            },
      );
    },
  );

  it('is set by one of two operators, and the other is refused with the new status', async ({
    open,
    shop,
  }) => {
    const { operator, place, setStatus } = shop;
    const others = [operator, await open.operator('SUPER_ADMIN')];
    const id = await place();
    const url = open.system.addresses.migrateUrl;
    const held = await lockRows(url, 'SELECT 1 FROM product_order WHERE id = $1::uuid FOR UPDATE', [
      id,
    ]);
    const both = others.map(({ call }) => setStatus(id, 'CANCELLED', call));
    await untilBlocked(url, 2);
    await held.release();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([
      200, 409,
    ]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      code: 'ILLEGAL_TRANSITION',
      body: { error: { details: { status: 'CANCELLED', from: 'CANCELLED', to: 'CANCELLED' } } },
    });
    expect(await open.system.db.productOrderEvent.count({ where: { orderId: id } })).toBe(2);
  });

  it('changes only along the table under many concurrent requests', async ({ open, shop }) => {
    const { operator, place, setStatus } = shop;
    const others = [operator, await open.operator('SUPER_ADMIN')];
    const id = await place();
    const wishes = Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? 'CONFIRMED' : 'CANCELLED',
    );
    const answers = await Promise.all(
      wishes.map((status, index) => setStatus(id, status, others[index % 2]?.call)),
    );
    const won = answers.filter(({ status }) => status === 200);
    const { status } = await open.system.db.productOrder.findUniqueOrThrow({ where: { id } });
    // A cancellation may follow the confirmation. No status follows a cancellation.
    const statuses = won.map(({ body }) => body['status']);
    expect([1, 2]).toContain(won.length);
    expect(statuses).toContain(status);
    for (const refused of answers.filter((answer) => answer.status !== 200)) {
      expect(refused).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
    }
    expect(await open.system.db.productOrderEvent.count({ where: { orderId: id } })).toBe(
      won.length + 1,
    );
  });

  it('has a history row with actor, time and request, and no audit row', async ({ open, shop }) => {
    const { operator, place, setStatus } = shop;
    const { userId, call } = await open.customer();
    const id = await place(call);
    const audited = await open.system.db.auditLog.count();
    const { body, headers } = await setStatus(id, 'CONFIRMED');
    expect(body['events']).toMatchObject([
      { from: null, to: 'PLACED', actor: `customer:${userId}`, cause: 'order.placed' },
      {
        from: 'PLACED',
        to: 'CONFIRMED',
        actor: `admin:${operator.adminId}`,
        cause: 'order.status-set',
        requestId: headers.get('x-request-id'),
      },
    ]);
    expect(await open.system.db.auditLog.count()).toBe(audited);
    expect((await call('GET', `/product-orders/${id}`)).body['status']).toBe('CONFIRMED');
  });

  it('can be set by admins and super admins', async ({ open, shop }) => {
    const { place, setStatus } = shop;
    const support = await open.operator('SUPPORT');
    const id = await place();
    expect(await setStatus(id, 'CONFIRMED', support.call)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    });
    expect((await support.call('GET', `/product-orders/${id}`)).body['status']).toBe('PLACED');
    for (const status of ['LOST', '', null, 1, ['PACKED']]) {
      expect(await setStatus(id, status)).toMatchObject({ status: 400, field: 'status' });
    }
    const unknown = open.system.random.uuid();
    expect(await setStatus(unknown, 'CONFIRMED')).toMatchObject({ status: 404 });
  });
});

describe('the list of operators', () => {
  it('is filtered by status, customer, phone, product and id, newest first, with addresses', async ({
    open,
    shop,
  }) => {
    const { operator, place, setStatus } = shop;
    const { userId, phone, call } = await open.customer();
    const rare = await open.product();
    const [first, second] = [
      await place(call),
      String((await open.order(call, [rare])).body['id']),
    ];
    await setStatus(first, 'CANCELLED');
    const idsFor = async (query: string) => {
      const { status, body } = await operator.call('GET', `/product-orders?${query}`);
      expect(status).toBe(200);
      // The response was checked against its schema.
      return (body['items'] as { id: string }[]).map(({ id }) => id);
    };
    const both = [first, second].toSorted().toReversed();
    expect((await idsFor(`userId=${userId}`)).toSorted().toReversed()).toEqual(both);
    expect(await idsFor(`userId=${userId}&status=PLACED`)).toEqual([second]);
    expect(await idsFor(`userId=${userId}&status=CANCELLED`)).toEqual([first]);
    expect((await idsFor(`q=${encodeURIComponent(phone)}`)).toSorted().toReversed()).toEqual(both);
    expect(await idsFor(`q=${phone.slice(3)}&status=PLACED`)).toEqual([second]);
    expect(await idsFor(`q=${first}`)).toEqual([first]);
    expect(await idsFor(`q=${rare}`)).toEqual([second]);
    expect(await idsFor('q=nobody')).toEqual([]);
    expect((await operator.call('GET', '/product-orders?status=LOST')).status).toBe(400);
    const { body } = await operator.call('GET', `/product-orders/${second}`);
    expect(body).toMatchObject({ userId, shippingAddress: { line1: '12 MG Road' } });
  });

  it("shows no address once the customer's key is destroyed", async ({ open, shop }) => {
    const { operator, place } = shop;
    const { userId, call } = await open.customer();
    const id = await place(call);
    const { db, vault, inTransaction } = open.system;
    await inTransaction((tx) => vault.destroyUser(tx, userId));
    const { body } = await operator.call('GET', `/product-orders?q=${id}`);
    expect(body).toMatchObject({ items: [{ id, userId, shippingAddress: null }] });
    expect(await db.productOrder.count({ where: { id } })).toBe(1);
  });
});
