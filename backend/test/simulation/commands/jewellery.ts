import { ourPrices, productLine, rupeesText } from '../model/figures.ts';
import type { World } from '../model/world.ts';
import {
  allow,
  answerText,
  busy,
  hasFaults,
  numberOf,
  Refuted,
  same,
  textOf,
  type Arguments,
  type Command,
} from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';
import { giveBack } from './stock.ts';

const openStates = new Set(['PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED']);
const maxOpen = 20;

interface Totals {
  readonly itemsTotalPaise: number;
  readonly gstPaise: number;
  readonly deliveryFeePaise: number;
  readonly totalPaise: number;
}

const totalsOf = (world: World, given: Arguments): Totals[] =>
  world.prices.map((price) => {
    const product = world.products[numberOf(given, 'product')];
    if (product === undefined) throw new Error('no such product');
    const quantity = numberOf(given, 'quantity');
    const { unitPaise, gstPaise } = productLine(product, quantity, ourPrices(price, world).buy);
    const itemsTotalPaise = unitPaise * quantity;
    const { deliveryFeePaise: fee, freeDeliveryFromPaise: free } = world.limits;
    const deliveryFeePaise = itemsTotalPaise >= free ? 0 : fee;
    return {
      itemsTotalPaise,
      gstPaise,
      deliveryFeePaise,
      totalPaise: itemsTotalPaise + gstPaise + deliveryFeePaise,
    };
  });

/** A customer orders jewellery, with the displayed total, with another total, or without one. */
export const orderJewellery: Command = {
  name: 'order-jewellery',
  choose(story, { pick, int, percent }) {
    const c = chooseCustomer(story, pick);
    if (c === undefined || story.world.products.length === 0) return undefined;
    return {
      c,
      k: story.nextKey,
      product: int(story.world.products.length),
      quantity: percent(80) ? 1 + int(2) : 1 + int(10),
      expected: pick(['none', 'right', 'right', 'wrong']) ?? 'none',
    };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    const product = world.products[numberOf(given, 'product')];
    if (customer === undefined || product === undefined) return undefined;
    const key = `story-key-${numberOf(given, 'k')}`;
    if (world.productOrders.some((order) => order.key === key)) return undefined;
    const expected = textOf(given, 'expected');
    const total = totalsOf(world, given).at(-1)?.totalPaise ?? 0;
    const body = {
      items: [{ productId: product.id, quantity: numberOf(given, 'quantity') }],
      shippingAddress: {
        name: 'Asha Rao',
        phone: customer.phone,
        line1: '12 MG Road',
        city: 'Bengaluru',
        state: 'Karnataka',
        pincode: '560001',
      },
      idempotencyKey: key,
      ...(expected !== 'none' && {
        expectedTotal: rupeesText(total + (expected === 'wrong' ? 1 : 0)),
      }),
    };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/product-orders', body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        const known = changed.productOrders.find(({ key }) => key === body.idempotencyKey);
        if (known !== undefined) {
          allow('an order at the same moment', answer, ['200', ...busy]);
          if (answer.status === 200) same('order of a repeated key', answer.body.id, known.id);
          return;
        }
        const totals = totalsOf(changed, given);
        const open = changed.productOrders.filter(
          (order) => order.customer === numberOf(given, 'c') && openStates.has(order.status),
        );
        const sum = open.reduce((paise, order) => paise + order.totalPaise, 0);
        const isMoving = changed.prices.length > 1;
        const most = changed.limits.maxOpenDeliveryPaise;
        const isOver =
          open.length >= maxOpen || totals.every(({ totalPaise }) => sum + totalPaise > most);
        const mayBeOver = totals.some(({ totalPaise }) => sum + totalPaise > most);
        const quantity = numberOf(given, 'quantity');
        const left = changed.products[numberOf(given, 'product')]?.stock ?? quantity;
        const usual =
          expected === 'wrong' ? '409 PRICE_CHANGED' : isOver ? '400 LIMIT_EXCEEDED' : '201';
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        if (!cannotSignIn && left < quantity) {
          const late = hasFaults(changed) ? ['503 SERVICE_UNAVAILABLE'] : [];
          allow('jewellery', answer, ['400 PRODUCT_UNAVAILABLE', ...late, ...busy]);
          return;
        }
        allow('jewellery', answer, [
          ...(cannotSignIn ? ['401 UNAUTHENTICATED'] : [usual]),
          ...(isMoving && expected !== 'none' ? ['409 PRICE_CHANGED', '201'] : []),
          ...(mayBeOver ? ['400 LIMIT_EXCEEDED'] : []),
          ...(hasFaults(changed) ? ['503 SERVICE_UNAVAILABLE'] : []),
          ...busy,
        ]);
        if (answer.status !== 201) return;
        const { itemsTotalPaise, gstPaise, deliveryFeePaise, totalPaise } = answer.body;
        const seen = { itemsTotalPaise, gstPaise, deliveryFeePaise, totalPaise };
        if (!totals.some((one) => JSON.stringify(one) === JSON.stringify(seen))) {
          throw new Refuted(
            'figures of jewellery',
            `are ${JSON.stringify(seen)}, not ${JSON.stringify(totals)}`,
          );
        }
        changed.productOrders.push({
          id: answer.body.id,
          customer: numberOf(given, 'c'),
          key: body.idempotencyKey,
          body,
          totalPaise,
          product: numberOf(given, 'product'),
          quantity,
          status: 'PLACED',
          placedAt: changed.now,
          cash: [],
        });
        const ordered = changed.products[numberOf(given, 'product')];
        if (ordered?.stock !== undefined) ordered.stock -= quantity;
      },
    };
  },
};

const nextStates: Readonly<Record<string, readonly string[]>> = {
  PLACED: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['PACKED', 'CANCELLED'],
  PACKED: ['SHIPPED', 'CANCELLED'],
  SHIPPED: ['DELIVERED'],
  DELIVERED: ['RETURNED'],
};

/** An operator changes the status of an order of jewellery, which may not be allowed. */
export const moveJewellery: Command = {
  name: 'move-jewellery',
  choose({ world }, { int, pick, percent }) {
    const o = int(Math.max(1, world.productOrders.length));
    const order = world.productOrders[o];
    if (order === undefined) return undefined;
    const all = ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'];
    const status = pick(percent(80) ? (nextStates[order.status] ?? all) : all) ?? 'CONFIRMED';
    return { o, status };
  },
  prepare({ sessions, world }, given) {
    const order = world.productOrders[numberOf(given, 'o')];
    if (order === undefined) return undefined;
    const status = textOf(given, 'status');
    const path = `/v1/product-orders/${order.id}/status`;
    return {
      call: () => sessions.operator('ADMIN', 'PATCH', path, { status }),
      judge(changed, answer) {
        const own = changed.productOrders[numberOf(given, 'o')];
        if (own === undefined) return;
        const fits = nextStates[own.status]?.includes(status) === true;
        allow('state of jewellery', answer, [fits ? '200' : '409 ILLEGAL_TRANSITION', ...busy]);
        if (answer.status !== 200) return;
        own.status = status;
        if (status === 'CANCELLED') giveBack(changed, own);
      },
    };
  },
};

/** A customer sends the same order with the same key again. */
export const repeatJewellery: Command = {
  name: 'repeat-jewellery',
  choose: ({ world }, { int }) =>
    world.productOrders.length === 0 ? undefined : { o: int(world.productOrders.length) },
  prepare({ sessions, world }, given) {
    const order = world.productOrders[numberOf(given, 'o')];
    const customer = world.customers[order?.customer ?? -1];
    if (order === undefined || customer === undefined) return undefined;
    // The phone number of a deleted account may belong to a new account, which does not have this
    // key.
    if (customer.deleted) return undefined;
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/product-orders', order.body),
      judge(changed, answer) {
        // Keys are forgotten after 90 days.
        if (changed.now - order.placedAt > 89 * 86_400_000) return;
        const own = changed.customers[order.customer];
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        const late = ['201', '409 PRICE_CHANGED', '400 LIMIT_EXCEEDED'];
        const allowed = cannotSignIn ? ['401 UNAUTHENTICATED'] : ['200', ...busy];
        if (!allowed.includes(answerText(answer)) && late.includes(answerText(answer))) {
          throw new Refuted(
            'repeated jewellery',
            `a second order: ${answerText(answer)}, of ${JSON.stringify(order)} at ${changed.now}`,
          );
        }
        allow('repeated jewellery', answer, allowed);
        if (answer.status === 200) same('order of repeated jewellery', answer.body.id, order.id);
      },
    };
  },
};
