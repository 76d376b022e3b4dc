import { paise } from '../../money/index.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import {
  boundsOf,
  execute,
  lockRow,
  selectOne,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import { offsetOf, type ListRange, type Page } from '../../platform/http/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { readCountedPage } from '../transaction-counts/index.ts';
import {
  productOrderStatuses,
  type NewProductOrder,
  type ProductOrder,
  type ProductOrderEvent,
  type ProductOrderStatus,
  type Shipment,
} from './product-orders.types.ts';

/** The result of an insert. Nothing is inserted if the key is taken or a product has changed. */
type InsertOutcome = 'placed' | 'key-taken' | 'products-changed';

const serializeLines = ({ lines }: NewProductOrder): string =>
  JSON.stringify(
    lines.map((line, index) => ({
      line_no: index + 1,
      product_id: line.productId,
      name: line.name,
      quantity: line.quantity,
      // Amounts are text, because a JSON number can't hold every bigint.
      unit_price_paise: line.unitPricePaise.toString(),
      gst_paise: line.gstPaise.toString(),
      line_total_paise: line.lineTotalPaise.toString(),
    })),
  );

/**
 * Inserts an order with its lines and the first row of its history, in one statement.
 * `unchangedProducts` selects and locks the products that have not changed since they were read. If it
 * does not select one for each line, nothing is inserted. Of concurrent inserts with the same key, the
 * later ones wait for the first and then find that the key is taken.
 */
export const insertProductOrder = async (
  db: Db,
  order: NewProductOrder,
  { unchangedProducts, ids }: { readonly unchangedProducts: Sql; readonly ids: readonly string[] },
): Promise<InsertOutcome> => {
  const [eventId, ...lineIds] = ids;
  const row = await selectOne<{ unchanged: number; placed: number }>(
    db,
    sql`
      WITH unchanged AS (${unchangedProducts}),
      placed AS (
        INSERT INTO product_order (id, user_id, status, idempotency_key, payload_hash,
          items_total_paise, gst_paise, gst_rate_bps, delivery_fee_paise, total_paise,
          shipping_address_sealed, created_at, updated_at)
        SELECT ${order.id}::uuid, ${order.userId}::uuid, 'PLACED',
          ${order.key?.idempotencyKey ?? null}, ${order.key?.payloadHash ?? null},
          ${order.itemsTotalPaise}::bigint, ${order.gstPaise}::bigint, ${order.gstRateBps}::int,
          ${order.deliveryFeePaise}::bigint, ${order.totalPaise}::bigint,
          ${order.shippingAddressSealed}, ${order.createdAt}::timestamptz,
          ${order.createdAt}::timestamptz
        WHERE (SELECT count(*) FROM unchanged) = ${order.lines.length}::int
        ON CONFLICT (user_id, idempotency_key) DO NOTHING
        RETURNING id, status, created_at),
      lines AS (
        INSERT INTO product_order_line (id, order_id, line_no, product_id, name, quantity,
          unit_price_paise, gst_paise, line_total_paise)
        SELECT (${lineIds}::uuid[])[line_no], placed.id, line_no, product_id, name, quantity,
          unit_price_paise, gst_paise, line_total_paise
        FROM placed, jsonb_to_recordset(${serializeLines(order)}::jsonb) AS line (line_no int,
          product_id uuid, name text, quantity int, unit_price_paise bigint, gst_paise bigint,
          line_total_paise bigint)),
      history AS (
        INSERT INTO product_order_event
          (id, order_id, from_status, to_status, cause, actor, request_id, at)
        SELECT ${eventId}::uuid, id, NULL, status, 'order.placed', ${`customer:${order.userId}`},
          ${order.requestId}, created_at
        FROM placed)
      SELECT (SELECT count(*)::int FROM unchanged) AS unchanged,
        (SELECT count(*)::int FROM placed) AS placed`,
  );
  invariant(row, 'the statement returns one row');
  if (row.unchanged < order.lines.length) return 'products-changed';
  return row.placed === 1 ? 'placed' : 'key-taken';
};

const withLines = { lines: { orderBy: { lineNo: 'asc' } } } as const;

type Row = Prisma.ProductOrderGetPayload<{ include: typeof withLines }>;

const toStatus = (text: string): ProductOrderStatus => {
  const status = productOrderStatuses.find((known) => known === text);
  invariant(status !== undefined, 'a product order has a known status');
  return status;
};

const toOrder = (row: Row): ProductOrder => ({
  id: row.id,
  userId: row.userId,
  status: toStatus(row.status),
  lines: row.lines.map((line) => ({
    productId: line.productId,
    name: line.name,
    quantity: line.quantity,
    unitPricePaise: paise(line.unitPricePaise),
    gstPaise: paise(line.gstPaise),
    lineTotalPaise: paise(line.lineTotalPaise),
  })),
  itemsTotalPaise: paise(row.itemsTotalPaise),
  gstPaise: paise(row.gstPaise),
  deliveryFeePaise: paise(row.deliveryFeePaise),
  totalPaise: paise(row.totalPaise),
  shippingAddressSealed: row.shippingAddressSealed,
  shipment:
    row.carrier === null
      ? undefined
      : { carrier: row.carrier, consignmentNumber: row.consignmentNumber ?? undefined },
  cashReceivedPaise: paise(row.cashReceivedPaise),
  createdAt: row.createdAt,
});

/** Returns an order. If `userId` is given, returns only an order of that customer. */
export const findProductOrder = async (
  db: Db,
  id: string,
  userId?: string,
): Promise<ProductOrder | undefined> => {
  const where = { id, ...(userId !== undefined && { userId }) };
  const row = await db.productOrder.findFirst({ where, include: withLines });
  return row === null ? undefined : toOrder(row);
};

/** Returns the order that a customer placed with an idempotency key, and the hash of its payload. */
export const findOrderOfKey = async (
  db: Db,
  userId: string,
  idempotencyKey: string,
): Promise<{ readonly order: ProductOrder; readonly payloadHash: string } | undefined> => {
  const row = await db.productOrder.findUnique({
    where: { userId_idempotencyKey: { userId, idempotencyKey } },
    include: withLines,
  });
  if (row === null) return undefined;
  return { order: toOrder(row), payloadHash: row.payloadHash ?? '' };
};

interface ProductOrderFilter extends ListRange {
  readonly userId?: string | undefined;
  readonly status?: ProductOrderStatus | undefined;
  /** An id of the order, its customer or a product, or a phone number. */
  readonly q?: string | undefined;
}

const searchConditionOf = (q: string): Prisma.ProductOrderWhereInput => {
  if (isUuid(q)) return { OR: [{ id: q }, { userId: q }, { lines: { some: { productId: q } } }] };
  return { user: { phone: /^\d{10}$/u.test(q) ? `+91${q}` : q } };
};

/** Returns a page of orders, newest first, and the number of matching orders. */
export const listProductOrders = async (
  db: Db,
  { userId, status, q, ...range }: ProductOrderFilter,
  page: Page,
): Promise<{ readonly rows: readonly ProductOrder[]; readonly total: number }> => {
  const { createdAt, amount } = boundsOf(range);
  const where: Prisma.ProductOrderWhereInput = {
    ...(createdAt !== undefined && { createdAt }),
    ...(amount !== undefined && { totalPaise: amount }),
    ...(userId !== undefined && { userId }),
    ...(status !== undefined && { status }),
    ...(q !== undefined && searchConditionOf(q)),
  };
  const readRows = async (bounds: object, slice: { skip: number; take: number }) => {
    const rows = await db.productOrder.findMany({
      where: { ...where, ...bounds },
      include: withLines,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...slice,
    });
    return rows.map(toOrder);
  };
  const countRows = (bounds: object) => db.productOrder.count({ where: { ...where, ...bounds } });
  // The daily counts distinguish orders by nothing else.
  if (userId === undefined && q === undefined && amount === undefined) {
    const statuses = status === undefined ? undefined : [status];
    const part = { kinds: ['PRODUCT_ORDER'] as const, statuses, ...range };
    return readCountedPage(db, part, page, { countRows, readRows });
  }
  const slice = { skip: offsetOf(page), take: page.limit };
  const [rows, total] = await Promise.all([readRows({}, slice), countRows({})]);
  return { rows, total };
};

/**
 * Locks an order until the transaction ends, and returns it. If `userId` is given, returns only an order
 * of that customer.
 */
export const lockProductOrder = async (
  tx: Db,
  id: string,
  userId?: string,
): Promise<ProductOrder | undefined> => {
  await lockRow(tx, 'product_order', id);
  return findProductOrder(tx, id, userId);
};

/** Stores the shipment of an order. The caller has locked the order. */
export const updateShipment = async (
  tx: Db,
  id: string,
  { carrier, consignmentNumber }: Shipment,
  now: Date,
): Promise<void> => {
  await tx.productOrder.updateMany({
    where: { id },
    data: { carrier, consignmentNumber: consignmentNumber ?? null, updatedAt: now },
  });
};

/** Inserts a row of an order's history. */
export const insertEvent = async (
  tx: Db,
  event: ProductOrderEvent & { readonly id: string; readonly orderId: string },
): Promise<void> => {
  const { id, orderId, from: fromStatus, to, cause, actor, requestId, at } = event;
  await tx.productOrderEvent.createMany({
    data: [{ id, orderId, fromStatus, toStatus: to, cause, actor, requestId, at }],
  });
};

/** Returns the history of an order, oldest first. */
export const listEvents = async (db: Db, orderId: string): Promise<ProductOrderEvent[]> => {
  const rows = await db.productOrderEvent.findMany({ where: { orderId }, orderBy: { seq: 'asc' } });
  return rows.map(({ fromStatus: from, toStatus: to, cause, actor, requestId, at }) => ({
    from,
    to,
    cause,
    actor,
    requestId,
    at,
  }));
};

/**
 * Erases the addresses, consignment numbers, idempotency keys and payload hashes of a customer's orders,
 * in the transaction that deletes the account. The amounts stay for the books.
 */
export const eraseProductOrders = async (
  tx: Db,
  { userId, at }: { readonly userId: string; readonly at: Date },
): Promise<void> => {
  await tx.productOrder.updateMany({
    where: { userId },
    data: {
      shippingAddressSealed: '',
      // The carrier may disclose the address for the consignment number.
      consignmentNumber: null,
      idempotencyKey: null,
      payloadHash: null,
      updatedAt: at,
    },
  });
};

/** The number of days for which an idempotency key is kept (contract: limits > Retention). */
const keyDays = 90;

/** Erases the idempotency keys and payload hashes of old orders. Returns the number of changed rows. */
export const eraseOldKeys = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE product_order SET idempotency_key = NULL, payload_hash = NULL
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM product_order
        WHERE idempotency_key IS NOT NULL
          AND created_at < ${now}::timestamptz - ${keyDays}::int * interval '1 day'
        ORDER BY created_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
  );
