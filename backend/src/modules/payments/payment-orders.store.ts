import type { Prisma } from '../../generated/prisma/client.ts';
import { paise } from '../../money/index.ts';
import { selectOne, sql, sqlColumns, type Db } from '../../platform/db/index.ts';
import { currentTraceparent } from '../../platform/observability/index.ts';
import { findAttemptedPaymentOrder } from './gateway-attempts.store.ts';
import type {
  DebitStatus,
  CreatedGatewayOrder,
  PaymentOrder,
  PaymentOrderRequest,
  PaymentOrderStatus,
} from './payments.types.ts';

export const paymentOrderColumns = {
  id: true,
  userId: true,
  orderId: true,
  quoteId: true,
  gateway: true,
  gatewayOrderId: true,
  checkoutSession: true,
  amountPaise: true,
  currency: true,
  status: true,
  method: true,
  capturedPaymentId: true,
  paidAt: true,
  expiresAt: true,
  lastAskedAt: true,
  debitDueAt: true,
  debitStatus: true,
  checkoutOpenedAt: true,
  createdAt: true,
  traceparent: true,
} satisfies Prisma.PaymentOrderSelect;

const columns = paymentOrderColumns;
const columnList = sqlColumns(columns);

export type PaymentOrderRow = Prisma.PaymentOrderGetPayload<{ select: typeof columns }>;

export const toPaymentOrder = (row: PaymentOrderRow): PaymentOrder => ({
  ...row,
  amountPaise: paise(row.amountPaise),
  // Check constraints hold both states.
  status: row.status as PaymentOrderStatus,
  debitStatus: row.debitStatus as DebitStatus | null,
});

const toOptional = (row: PaymentOrderRow | null | undefined): PaymentOrder | undefined =>
  row === null || row === undefined ? undefined : toPaymentOrder(row);

/**
 * Inserts a CREATED payment order, the intent that is committed before the gateway is called. Its id
 * is the receipt of the gateway's order. The database refuses a second open payment order for a gold
 * order.
 */
export const insertPaymentOrder = async (
  db: Db,
  id: string,
  { termsVersion, debit, ...request }: PaymentOrderRequest,
  at: Date,
): Promise<void> => {
  await db.paymentOrder.create({
    data: {
      ...request,
      id,
      method: request.method ?? null,
      termsAcceptedVersion: termsVersion ?? null,
      termsAcceptedAt: termsVersion === undefined ? null : at,
      ...(debit !== undefined && {
        debitDueAt: debit.dueAt,
        debitStatus: 'SCHEDULED',
        mandateTokenSealed: debit.mandateTokenSealed,
      }),
      currency: 'INR',
      traceparent: currentTraceparent() ?? null,
      status: 'CREATED',
      createdAt: at,
      updatedAt: at,
    },
    select: { id: true },
  });
};

/** Returns true for a payment order that is neither paid nor closed. */
export const isOpenPaymentOrder = ({ status }: Pick<PaymentOrder, 'status'>): boolean =>
  status === 'CREATED' || status === 'GATEWAY_ORDER_CREATED';

/** Stores the opening time of an installment's checkout. Its order and holding must be locked. */
export const markCheckoutOpened = async (tx: Db, id: string, at: Date): Promise<void> => {
  await tx.paymentOrder.updateMany({
    where: { id, status: 'CREATED' },
    data: { checkoutOpenedAt: at, updatedAt: at },
  });
};

/** Returns a payment order, or undefined if there is none. */
export const findPaymentOrder = async (db: Db, id: string): Promise<PaymentOrder | undefined> =>
  toOptional(await db.paymentOrder.findUnique({ where: { id }, select: columns }));

/**
 * Finds the payment order of a gateway's order. That may be its current gateway order, or the order
 * of a gateway that was tried before.
 */
export const findByGatewayOrder = async (
  db: Db,
  gateway: string,
  gatewayOrderId: string,
): Promise<PaymentOrder | undefined> => {
  const where = { gateway_gatewayOrderId: { gateway, gatewayOrderId } };
  const row = await db.paymentOrder.findUnique({ where, select: columns });
  if (row !== null) return toPaymentOrder(row);
  const id = await findAttemptedPaymentOrder(db, gateway, gatewayOrderId);
  return id === undefined ? undefined : findPaymentOrder(db, id);
};

/** Lists the payment orders of any number of gold orders, newest first. */
export const listPaymentOrders = async (
  db: Db,
  orderIds: readonly string[],
): Promise<PaymentOrder[]> => {
  const rows = await db.paymentOrder.findMany({
    where: { orderId: { in: [...orderIds] } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: columns,
  });
  return rows.map(toPaymentOrder);
};

/** Locks the row until the transaction ends. Its gold order must be locked first. */
export const lockPaymentOrder = async (tx: Db, id: string): Promise<PaymentOrder | undefined> => {
  const row = await selectOne<PaymentOrderRow>(
    tx,
    sql`SELECT ${columnList} FROM payment_order WHERE id = ${id}::uuid FOR UPDATE`,
  );
  return toOptional(row);
};

/**
 * Replaces the payment whose money a PAID payment order holds. Returns false if the payment order is
 * not PAID.
 */
export const updateCapturedPayment = async (
  tx: Db,
  id: string,
  capturedPaymentId: string,
  at: Date,
): Promise<boolean> => {
  const { count } = await tx.paymentOrder.updateMany({
    where: { id, status: 'PAID' },
    data: { capturedPaymentId, updatedAt: at },
  });
  return count === 1;
};

/**
 * Extends the deadline of an installment's payment order, if its checkout was not opened yet or its
 * debit was not requested yet. Otherwise returns false.
 */
export const extendExpiry = async (
  tx: Db,
  id: string,
  expiresAt: Date,
  at: Date,
): Promise<boolean> => {
  const unopened = { status: 'CREATED' };
  const unrequested = { status: 'GATEWAY_ORDER_CREATED', debitStatus: 'SCHEDULED' };
  const { count } = await tx.paymentOrder.updateMany({
    where: { id, OR: [unopened, unrequested] },
    data: { expiresAt, updatedAt: at },
  });
  return count === 1;
};

/**
 * Lists installments' payment orders that were created before `before` and have no gateway order
 * yet, least recently tried first. It leaves out payment orders that are debited under a mandate.
 */
export const listUnopenedInstallments = (
  db: Db,
  before: Date,
  limit: number,
): Promise<{ id: string }[]> =>
  db.paymentOrder.findMany({
    where: {
      status: 'CREATED',
      debitDueAt: null,
      createdAt: { lt: before },
      order: { type: 'SIP_INSTALLMENT' },
      OR: [{ lastAskedAt: null }, { lastAskedAt: { lt: before } }],
    },
    orderBy: [{ lastAskedAt: { sort: 'asc', nulls: 'first' } }, { createdAt: 'asc' }],
    take: limit,
    select: { id: true },
  });

/** Puts a payment order at the end of the next batch of a sweep. */
export const markPaymentOrderSwept = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.paymentOrder.updateMany({ where: { id }, data: { lastAskedAt: at } });
};

/**
 * Sets the gateway whose order is about to be requested. Returns false if the payment order is no
 * longer CREATED.
 */
export const updateGateway = async (
  db: Db,
  id: string,
  gateway: string,
  at: Date,
): Promise<boolean> => {
  const { count } = await db.paymentOrder.updateMany({
    where: { id, status: 'CREATED' },
    data: { gateway, lastAskedAt: at, updatedAt: at },
  });
  return count === 1;
};

/**
 * Stores the id of a gateway order in a payment order that was closed in the meantime, without a
 * change of its state. Does nothing if the payment order already has a gateway order or names
 * another gateway. The attempt then still holds the id.
 * @throws a unique violation if another payment order has this gateway order
 */
export const updateGatewayOrder = async (
  db: Db,
  id: string,
  { gateway, gatewayOrderId, checkoutSession }: CreatedGatewayOrder,
  at: Date,
): Promise<void> => {
  await db.paymentOrder.updateMany({
    where: { id, gatewayOrderId: null, gateway },
    data: { gatewayOrderId, checkoutSession: checkoutSession ?? null, updatedAt: at },
  });
};

/** The times that decide which payment orders are due for a poll of their gateway. */
export interface PollWindow {
  readonly now: Date;
  /** A payment order that was polled after this time is not polled again yet. */
  readonly polledBefore: Date;
  /** A payment order that was created after this time is not polled yet. */
  readonly createdBefore: Date;
  /** Open payment orders are polled if they expire before this time. */
  readonly expiresTo: Date;
  /**
   * Closed payment orders are polled if they expire from this time to `expiresTo` and meet the two
   * conditions below.
   */
  readonly closedExpiresFrom: Date;
  /** Closed payment orders are polled only if they were created after this time. */
  readonly closedCreatedFrom: Date;
  /** Closed payment orders are polled only if they were last polled before this time. */
  readonly closedPolledBefore: Date;
  /**
   * Closed payment orders of installments are polled if they were closed after this time, because
   * their checkouts can still be paid.
   */
  readonly closedInstallmentsFrom: Date;
  /**
   * Open payment orders are polled if they were last polled before this time, even if they expire
   * only in days. The same holds for closed payment orders of installments.
   */
  readonly longNotPolled: Date;
  readonly limit: number;
}

/**
 * Returns the condition that a payment order was not polled recently. A time in the future was
 * written before the clock was set back, so it is ignored.
 */
const notPolledSince = ({ now, polledBefore }: PollWindow) =>
  [
    { lastAskedAt: null },
    { lastAskedAt: { lt: polledBefore } },
    { lastAskedAt: { gt: now } },
  ] satisfies Prisma.PaymentOrderWhereInput[];

/**
 * Lists the payment orders whose gateway may have unreported payments, except those of gateways
 * that did not answer. The least recently polled rows come first, so that every row gets its turn.
 */
export const listPollable = async (
  db: Db,
  window: PollWindow,
  silentGateways: readonly string[],
): Promise<{ id: string; gateway: string }[]> =>
  db.paymentOrder.findMany({
    where: {
      gateway: { notIn: [...silentGateways] },
      createdAt: { lt: window.createdBefore },
      AND: [
        { OR: notPolledSince(window) },
        {
          OR: [
            {
              status: { in: ['CREATED', 'GATEWAY_ORDER_CREATED'] },
              OR: [
                { expiresAt: { lt: window.expiresTo } },
                { lastAskedAt: { lt: window.longNotPolled } },
              ],
            },
            {
              status: { in: ['FAILED', 'EXPIRED'] },
              createdAt: { gt: window.closedCreatedFrom },
              expiresAt: { gte: window.closedExpiresFrom, lte: window.expiresTo },
              OR: [
                { lastAskedAt: { lt: window.closedPolledBefore } },
                { lastAskedAt: { gt: window.now } },
              ],
            },
            {
              status: { in: ['FAILED', 'EXPIRED'] },
              order: { type: 'SIP_INSTALLMENT' },
              updatedAt: { gt: window.closedInstallmentsFrom },
              OR: [
                { lastAskedAt: null },
                { lastAskedAt: { lt: window.longNotPolled } },
                { lastAskedAt: { gt: window.now } },
              ],
            },
          ],
        },
      ],
    },
    orderBy: [{ lastAskedAt: { sort: 'asc', nulls: 'first' } }, { expiresAt: 'asc' }],
    take: window.limit,
    select: { id: true, gateway: true },
  });

/**
 * Claims a payment order for a poll and returns it. Returns undefined to all but one of several
 * concurrent callers.
 */
export const claimPoll = async (
  db: Db,
  id: string,
  window: PollWindow,
): Promise<PaymentOrder | undefined> => {
  const [row] = await db.paymentOrder.updateManyAndReturn({
    where: { id, OR: notPolledSince(window) },
    data: { lastAskedAt: window.now },
    select: columns,
  });
  return toOptional(row);
};
