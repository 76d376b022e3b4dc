import { Prisma } from '../../generated/prisma/client.ts';
import { paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { mayMovePaymentOrder } from './payments.states.ts';
import type { PaymentOrder, PaymentOrderStatus } from './payments.types.ts';

type Row = Omit<PaymentOrder, 'amountPaise'> & { readonly amountPaise: bigint };

const columns = Prisma.sql`
  p.id, p.user_id AS "userId", p.order_id AS "orderId", p.quote_id AS "quoteId", p.gateway,
  p.gateway_order_id AS "gatewayOrderId", p.amount_paise AS "amountPaise", p.currency, p.status,
  p.method, p.captured_payment_id AS "capturedPaymentId", p.paid_at AS "paidAt",
  p.expires_at AS "expiresAt", p.last_asked_at AS "lastAskedAt", p.created_at AS "createdAt"`;

const toPaymentOrder = (row: Row): PaymentOrder => ({
  ...row,
  amountPaise: paise(row.amountPaise),
});

export interface NewPaymentOrder {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly quoteId: string | undefined;
  readonly gateway: string;
  readonly amountPaise: bigint;
  readonly method: string | undefined;
  readonly termsVersion: string | undefined;
  readonly expiresAt: Date | undefined;
  readonly createdAt: Date;
}

export interface PaymentOrderMove {
  readonly to: PaymentOrderStatus;
  readonly at: Date;
  readonly capturedPaymentId?: string;
  readonly paidAt?: Date;
  /** Where the move is what tells us of it; an id that is there already stays. */
  readonly gatewayOrderId?: string;
  /** Kept only where the customer named none. */
  readonly method?: string;
}

export interface LastAsked {
  readonly now: Date;
  readonly askedBefore: Date;
}

/** Which payment orders are due for a question to their gateway. */
export interface AskWindow extends LastAsked {
  readonly createdBefore: Date;
  /** The end of the lock: open ones from before this on, closed ones between the two. */
  readonly expiresTo: Date;
  readonly closedExpiresFrom: Date;
  readonly closedCreatedFrom: Date;
  readonly closedAskedBefore: Date;
  /** Open ones are asked about now and then, however far their end is. */
  readonly longNotAsked: Date;
  readonly limit: number;
}

/** A time that lies ahead is of a clock that was set back since, and says nothing. */
const notAskedSince = ({ now, askedBefore }: LastAsked): Prisma.Sql => Prisma.sql`(
  p.last_asked_at IS NULL OR p.last_asked_at < ${askedBefore}::timestamptz
  OR p.last_asked_at > ${now}::timestamptz)`;

const insertOn = async (db: Db, order: NewPaymentOrder): Promise<void> => {
  const termsAt = order.termsVersion === undefined ? null : order.createdAt;
  await db.$executeRaw`
    INSERT INTO payment_order
      (id, user_id, order_id, quote_id, gateway, amount_paise, currency, status, method,
       terms_accepted_version, terms_accepted_at, expires_at, created_at, updated_at)
    VALUES
      (${order.id}::uuid, ${order.userId}::uuid, ${order.orderId}::uuid,
       ${order.quoteId ?? null}::uuid, ${order.gateway}, ${order.amountPaise}, 'INR', 'CREATED',
       ${order.method ?? null}, ${order.termsVersion ?? null}, ${termsAt}::timestamptz,
       ${order.expiresAt ?? null}::timestamptz, ${order.createdAt}::timestamptz,
       ${order.createdAt}::timestamptz)`;
};

const moveOn = async (db: Db, order: PaymentOrder, move: PaymentOrderMove): Promise<void> => {
  const { to, at, capturedPaymentId = null, paidAt = null } = move;
  if (!mayMovePaymentOrder(order.status, to)) {
    throw new Error(`payment order ${order.id} can not go from ${order.status} to ${to}`);
  }
  const moved = await db.$executeRaw`
    UPDATE payment_order SET
      status = ${to}, updated_at = ${at}::timestamptz,
      captured_payment_id = COALESCE(captured_payment_id, ${capturedPaymentId}::uuid),
      paid_at = COALESCE(paid_at, ${paidAt}::timestamptz),
      gateway_order_id = COALESCE(gateway_order_id, ${move.gatewayOrderId ?? null}),
      method = COALESCE(method, ${move.method ?? null})
    WHERE id = ${order.id}::uuid AND status = ${order.status}`;
  if (moved !== 1) throw new Error(`payment order ${order.id} was not ${order.status} any more`);
};

/** The payment orders' own table; every row it answers is whole. */
export const createPaymentOrderStore = (db: Db) => {
  const select = async (where: Prisma.Sql): Promise<PaymentOrder[]> => {
    const rows = await db.$queryRaw<Row[]>`SELECT ${columns} FROM payment_order p ${where}`;
    return rows.map(toPaymentOrder);
  };
  const one = async (where: Prisma.Sql) => (await select(where))[0];

  return {
    insert: (order: NewPaymentOrder) => insertOn(db, order),
    find: (id: string) => one(Prisma.sql`WHERE p.id = ${id}::uuid`),
    /** The row, locked until the transaction ends. Its gold order is locked first. */
    lock: (id: string) => one(Prisma.sql`WHERE p.id = ${id}::uuid FOR UPDATE`),
    findByGatewayOrder: (gateway: string, gatewayOrderId: string) =>
      one(Prisma.sql`WHERE p.gateway = ${gateway} AND p.gateway_order_id = ${gatewayOrderId}`),
    /** Newest first. */
    listOfOrders: (orderIds: readonly string[]) =>
      select(Prisma.sql`
        WHERE p.order_id = ANY(${orderIds}::uuid[]) ORDER BY p.created_at DESC, p.id DESC`),

    /** Moves it by the table of states. Throws where the table, or another's move, forbids it. */
    move: (order: PaymentOrder, move: PaymentOrderMove) => moveOn(db, order, move),

    /**
     * Says that the gateway is about to be asked to open an order. Answers the row and whether
     * somebody said so before; undefined when it is no longer CREATED.
     */
    async claimOpening(id: string, at: Date) {
      const rows = await db.$queryRaw<(Row & { openedBefore: boolean })[]>`
        WITH before AS (SELECT id, last_asked_at FROM payment_order WHERE id = ${id}::uuid)
        UPDATE payment_order p SET last_asked_at = ${at}::timestamptz
        FROM before WHERE p.id = before.id AND p.status = 'CREATED'
        RETURNING ${columns}, before.last_asked_at IS NOT NULL AS "openedBefore"`;
      const [row] = rows;
      if (row === undefined) return undefined;
      const { openedBefore, ...rest } = row;
      return { paymentOrder: toPaymentOrder(rest), openedBefore };
    },

    /**
     * Keeps the gateway's order id, once. A row that closed meanwhile keeps its state: a payment
     * of that gateway order must still find it. Undefined when it has an id already.
     */
    async storeGatewayOrder(id: string, gatewayOrderId: string, at: Date) {
      const rows = await db.$queryRaw<Row[]>`
        UPDATE payment_order p SET
          gateway_order_id = ${gatewayOrderId}, updated_at = ${at}::timestamptz,
          status = CASE p.status WHEN 'CREATED' THEN 'GATEWAY_ORDER_CREATED' ELSE p.status END
        WHERE p.id = ${id}::uuid AND p.gateway_order_id IS NULL
        RETURNING ${columns}`;
      return rows[0] === undefined ? undefined : toPaymentOrder(rows[0]);
    },

    /** Ends those of an order that nobody paid; answers how many. */
    expireOpen: (orderId: string, at: Date): Promise<number> => db.$executeRaw`
      UPDATE payment_order SET status = 'EXPIRED', updated_at = ${at}::timestamptz
      WHERE order_id = ${orderId}::uuid AND status IN ('CREATED', 'GATEWAY_ORDER_CREATED')`,

    /** Those whose gateway may know of payments that we never heard of, oldest lock first. */
    listToAsk: (window: AskWindow) =>
      select(Prisma.sql`
        WHERE p.created_at < ${window.createdBefore}::timestamptz AND ${notAskedSince(window)}
          AND ((p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
              AND (p.expires_at < ${window.expiresTo}::timestamptz
                OR p.last_asked_at < ${window.longNotAsked}::timestamptz))
            OR (p.status IN ('FAILED', 'EXPIRED')
              AND p.created_at > ${window.closedCreatedFrom}::timestamptz
              AND p.last_asked_at NOT BETWEEN ${window.closedAskedBefore}::timestamptz
                AND ${window.now}::timestamptz
              AND p.expires_at BETWEEN ${window.closedExpiresFrom}::timestamptz
                AND ${window.expiresTo}::timestamptz))
        ORDER BY p.expires_at LIMIT ${window.limit}`),

    /** True for the one caller that may ask now. */
    async claimAsking(id: string, asked: LastAsked): Promise<boolean> {
      const count = await db.$executeRaw`
        UPDATE payment_order p SET last_asked_at = ${asked.now}::timestamptz
        WHERE p.id = ${id}::uuid AND ${notAskedSince(asked)}`;
      return count === 1;
    },
  };
};
