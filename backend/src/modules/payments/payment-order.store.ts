import { Prisma } from '../../generated/prisma/client.ts';
import { paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { mayMovePaymentOrder } from './payments.states.ts';
import type { PaymentOrder, PaymentOrderStatus } from './payments.types.ts';

export type PaymentOrderRow = Omit<PaymentOrder, 'amountPaise'> & { readonly amountPaise: bigint };

/** Of `payment_order p`. */
export const paymentOrderColumns = Prisma.sql`
  p.id, p.user_id AS "userId", p.order_id AS "orderId", p.quote_id AS "quoteId", p.gateway,
  p.gateway_order_id AS "gatewayOrderId", p.amount_paise AS "amountPaise", p.currency, p.status,
  p.method, p.captured_payment_id AS "capturedPaymentId", p.paid_at AS "paidAt",
  p.expires_at AS "expiresAt", p.last_asked_at AS "lastAskedAt", p.created_at AS "createdAt"`;

/** A row of those columns. */
export const toPaymentOrder = (row: PaymentOrderRow): PaymentOrder => ({
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
    const rows = await db.$queryRaw<
      PaymentOrderRow[]
    >`SELECT ${paymentOrderColumns} FROM payment_order p ${where}`;
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

    /** Ends those of an order that nobody paid; answers how many. */
    expireOpen: (orderId: string, at: Date): Promise<number> => db.$executeRaw`
      UPDATE payment_order SET status = 'EXPIRED', updated_at = ${at}::timestamptz
      WHERE order_id = ${orderId}::uuid AND status IN ('CREATED', 'GATEWAY_ORDER_CREATED')`,
  };
};
