import type { ProductOrder, World } from '../model/world.ts';
import { allow, busy, numberOf, type Arguments, type Command } from '../story.ts';

const orderOf = (world: World, given: Arguments): ProductOrder | undefined =>
  world.productOrders[numberOf(given, 'o')];

/** Adds the pieces of a cancelled order to the stock again. */
export const giveBack = (world: World, order: ProductOrder): void => {
  const product = world.products[order.product];
  if (product?.stock !== undefined) product.stock += order.quantity;
};

/** An operator sets the stock of a product. */
export const setStock: Command = {
  name: 'set-stock',
  choose: ({ world }, { int }) =>
    world.products.length === 0
      ? undefined
      : { product: int(world.products.length), count: int(6) },
  prepare({ sessions, world }, given) {
    const product = world.products[numberOf(given, 'product')];
    if (product === undefined) return undefined;
    const stock = numberOf(given, 'count');
    return {
      call: () => sessions.operator('ADMIN', 'PATCH', `/v1/products/${product.id}`, { stock }),
      judge(changed, answer) {
        allow('stock', answer, ['200', ...busy]);
        const own = changed.products[numberOf(given, 'product')];
        if (answer.status === 200 && own !== undefined) own.stock = stock;
      },
    };
  },
};

/** A customer cancels an order of jewellery. */
export const cancelJewellery: Command = {
  name: 'cancel-jewellery',
  choose: ({ world }, { int }) =>
    world.productOrders.length === 0 ? undefined : { o: int(world.productOrders.length) },
  prepare({ sessions, world }, given) {
    const order = orderOf(world, given);
    const customer = world.customers[order?.customer ?? -1];
    if (order === undefined || customer === undefined) return undefined;
    const path = `/v1/product-orders/${order.id}/cancel`;
    return {
      call: () => sessions.customer(customer.phone, 'POST', path),
      judge(changed, answer) {
        const own = orderOf(changed, given);
        const owner = changed.customers[order.customer];
        if (own === undefined) return;
        const cannotSignIn = owner === undefined || owner.deleted || owner.blocked;
        const fits = ['PLACED', 'CONFIRMED', 'CANCELLED'].includes(own.status);
        const usual = fits ? '200' : '409 ILLEGAL_TRANSITION';
        allow('cancelling jewellery', answer, [
          cannotSignIn ? '401 UNAUTHENTICATED' : usual,
          ...busy,
        ]);
        if (answer.status !== 200 || own.status === 'CANCELLED') return;
        own.status = 'CANCELLED';
        giveBack(changed, own);
      },
    };
  },
};

/** An operator records the cash of a delivery, which may be a part, a repeat, or too much. */
export const recordCash: Command = {
  name: 'record-cash',
  choose({ world }, { int, pick, percent }) {
    const delivered = world.productOrders.flatMap(({ status }, index) =>
      status === 'DELIVERED' || percent(5) ? [index] : [],
    );
    const o = pick(delivered);
    const order = world.productOrders[o ?? -1];
    if (o === undefined || order === undefined) return undefined;
    const owed = order.totalPaise - order.cash.reduce((sum, { paise }) => sum + paise, 0);
    const paise = Math.max(1, pick([owed, owed + 1, 1 + int(Math.max(1, owed))]) ?? 1);
    return { o, paise, receipt: int(4) };
  },
  prepare({ sessions, world }, given) {
    const order = orderOf(world, given);
    if (order === undefined) return undefined;
    const paise = numberOf(given, 'paise');
    const reference = `receipt ${numberOf(given, 'receipt')}`;
    const path = `/v1/product-orders/${order.id}/cash`;
    return {
      call: () => sessions.operator('ADMIN', 'POST', path, { amountPaise: paise, reference }),
      judge(changed, answer) {
        const own = orderOf(changed, given);
        if (own === undefined) return;
        const known = own.cash.find((one) => one.reference === reference);
        const received = own.cash.reduce((sum, one) => sum + one.paise, 0);
        const usual =
          known !== undefined
            ? known.paise === paise
              ? '200'
              : '409 CONFLICT'
            : own.status !== 'DELIVERED'
              ? '409 ILLEGAL_TRANSITION'
              : received + paise > own.totalPaise
                ? '400 VALIDATION_FAILED'
                : '200';
        allow('cash for jewellery', answer, [usual, ...busy]);
        if (answer.status === 200 && known === undefined) own.cash.push({ reference, paise });
      },
    };
  },
};

/** An operator records the parcel of an order. */
export const nameParcel: Command = {
  name: 'name-parcel',
  choose: ({ world }, { int }) =>
    world.productOrders.length === 0 ? undefined : { o: int(world.productOrders.length) },
  prepare({ sessions, world }, given) {
    const order = orderOf(world, given);
    if (order === undefined) return undefined;
    const body = { carrier: 'Blue Dart', consignmentNumber: 'BD-7729-0041' };
    const path = `/v1/product-orders/${order.id}/shipment`;
    return {
      call: () => sessions.operator('ADMIN', 'PUT', path, body),
      judge(changed, answer) {
        const { status } = orderOf(changed, given) ?? order;
        const fits = status === 'PACKED' || status === 'SHIPPED';
        allow('parcel', answer, [fits ? '200' : '409 ILLEGAL_TRANSITION', ...busy]);
      },
    };
  },
};
