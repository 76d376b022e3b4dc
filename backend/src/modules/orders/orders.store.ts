import type { Prisma } from '../../generated/prisma/client.ts';
import { gramsFromDatabase, gramsToDatabase, paise } from '../../money/index.ts';
import type { Bps, DatabaseDecimal, Grams, Paise } from '../../money/index.ts';
import {
  execute,
  readOf,
  selectOne,
  selectRows,
  sql,
  sqlColumns,
  sqlName,
  writeTogether,
  type Db,
  type Part,
  type Read,
} from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  sellStatuses,
  type GoldOrder,
  type GoldOrderEvent,
  type GoldUnit,
  type ManualReviewCode,
  type SaleOrder,
} from './orders.types.ts';

const columns = {
  id: true,
  userId: true,
  type: true,
  status: true,
  quoteId: true,
  unit: true,
  amountPaise: true,
  grams: true,
  pricePerGramPaise: true,
  goldValuePaise: true,
  gstPaise: true,
  roundingPaise: true,
  proceedsPaise: true,
  provider: true,
  providerTxId: true,
  providerRateId: true,
  providerAmountPaise: true,
  lockStartedAt: true,
  lockEndsAt: true,
  expiresAt: true,
  paidAt: true,
  allocationAttempts: true,
  nextAttemptAt: true,
  allocatedAt: true,
  recoveredAt: true,
  manualReviewCode: true,
  manualReviewReason: true,
  failureCode: true,
  refundReference: true,
  priceDifferencePaise: true,
  bankAccountId: true,
  sipPlanId: true,
  installmentNo: true,
  dueAt: true,
  createdAt: true,
  updatedAt: true,
} satisfies Prisma.GoldOrderSelect;

const columnList = sqlColumns(columns);

type Row = Prisma.GoldOrderGetPayload<{ select: typeof columns }>;

const paiseOrNull = (value: bigint | null): Paise | null => (value === null ? null : paise(value));
const gramsOrNull = (value: DatabaseDecimal | null): Grams | null =>
  value === null ? null : gramsFromDatabase(value);

const toOrder = (row: Row): GoldOrder => ({
  ...row,
  // Check constraints guarantee the values of these four columns.
  type: row.type as GoldOrder['type'],
  status: row.status as GoldOrder['status'],
  unit: row.unit as GoldUnit,
  manualReviewCode: row.manualReviewCode as ManualReviewCode | null,
  amountPaise: paise(row.amountPaise),
  grams: gramsOrNull(row.grams),
  pricePerGramPaise: paiseOrNull(row.pricePerGramPaise),
  goldValuePaise: paiseOrNull(row.goldValuePaise),
  gstPaise: paiseOrNull(row.gstPaise),
  roundingPaise: paiseOrNull(row.roundingPaise),
  proceedsPaise: paiseOrNull(row.proceedsPaise),
  providerAmountPaise: paiseOrNull(row.providerAmountPaise),
  priceDifferencePaise: paiseOrNull(row.priceDifferencePaise),
});

/** Returns the orders that a query selects, in the order of the query. */
export const findOrders = async (
  db: Db,
  query: Pick<Prisma.GoldOrderFindManyArgs, 'where' | 'orderBy' | 'take' | 'skip'>,
): Promise<GoldOrder[]> => {
  const rows = await db.goldOrder.findMany({ ...query, select: columns });
  return rows.map(toOrder);
};

/** Returns an order, or undefined if there is none. */
export const findOrder = async (db: Db, id: string): Promise<GoldOrder | undefined> => {
  const row = await db.goldOrder.findUnique({ where: { id }, select: columns });
  return row === null ? undefined : toOrder(row);
};

/**
 * Locks the row until the transaction ends. Every transaction that changes an order takes this lock
 * first.
 */
export const lockOrder = async (tx: Db, id: string): Promise<GoldOrder | undefined> => {
  const row = await selectOne<Row>(
    tx,
    sql`SELECT ${columnList} FROM gold_order WHERE id = ${id}::uuid FOR UPDATE`,
  );
  return row === undefined ? undefined : toOrder(row);
};

/** Locks the row of a sale, as `lockOrder` does. */
export const lockSale = async (tx: Db, id: string): Promise<SaleOrder> => {
  const order = await lockOrder(tx, id);
  const status = sellStatuses.find((each) => each === order?.status);
  invariant(order?.type === 'SELL' && status !== undefined, `order ${id} is a sale`);
  return { id, userId: order.userId, status };
};

interface PlacedOrder {
  readonly id: string;
  /** The id of the first row of the order's history. */
  readonly eventId: string;
  readonly userId: string;
  readonly quoteId: string;
  readonly unit: GoldUnit;
  readonly grams: Grams;
  readonly pricePerGramPaise: Paise;
  readonly provider: string;
  readonly providerRateId: string;
  readonly requestId: string;
  readonly at: Date;
}

export interface PlacedBuy extends PlacedOrder {
  readonly totalPaise: Paise;
  readonly goldValuePaise: Paise;
  readonly gstPaise: Paise;
  readonly gstRateBps: Bps;
  readonly roundingPaise: Paise;
  readonly providerTxId: string;
  readonly providerAmountPaise: Paise;
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
}

/** Writes the order of a consumed buy quote and the first row of its history in one statement. */
export const insertBuyOrder = async (db: Db, buy: PlacedBuy): Promise<void> => {
  await execute(
    db,
    sql`
      WITH placed AS (
        INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
          price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, rounding_paise,
          provider, provider_tx_id, provider_rate_id, provider_amount_paise, lock_started_at,
          lock_ends_at, expires_at, created_at, updated_at)
        VALUES (${buy.id}::uuid, ${buy.userId}::uuid, 'BUY', 'PENDING', ${buy.quoteId}::uuid,
          ${buy.unit}, ${buy.totalPaise}::bigint, ${gramsToDatabase(buy.grams)}::numeric,
          ${buy.pricePerGramPaise}::bigint, ${buy.goldValuePaise}::bigint,
          ${buy.gstPaise}::bigint, ${buy.gstRateBps}::int, ${buy.roundingPaise}::bigint,
          ${buy.provider}, ${buy.providerTxId}, ${buy.providerRateId},
          ${buy.providerAmountPaise}::bigint, ${buy.lockStartedAt}::timestamptz,
          ${buy.lockEndsAt}::timestamptz, ${buy.lockEndsAt}::timestamptz,
          ${buy.at}::timestamptz, ${buy.at}::timestamptz)
        RETURNING id, status)
      INSERT INTO gold_order_event
        (id, order_id, from_status, to_status, cause, actor, request_id, at)
      SELECT ${buy.eventId}::uuid, id, NULL, status, 'order.placed',
        ${`customer:${buy.userId}`}, ${buy.requestId}, ${buy.at}::timestamptz
      FROM placed`,
  );
};

interface PlacedSale extends PlacedOrder {
  readonly proceedsPaise: Paise;
  readonly withheldPaise: Paise;
  readonly bankAccountId: string;
}

/**
 * Writes the order of a consumed sell quote and the first row of its history, in one statement with
 * other parts. The order depends on the parts in `before`, and the last of them returns its
 * `user_id`. The parts in `after` depend on the order and read it as `placed`. Returns undefined if
 * the last part in `before` returns no row.
 */
export const insertSellOrder = async (
  db: Db,
  sell: PlacedSale,
  { before = [], after = [] }: { readonly before?: Part[]; readonly after?: Part[] } = {},
): Promise<GoldOrder | undefined> => {
  const last = before.at(-1)?.name;
  const source =
    last === undefined ? sql`(VALUES (${sell.userId}::uuid)) AS c (user_id)` : sqlName(last);
  const order = sql`
    INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
      price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
      bank_account_id, created_at, updated_at)
    SELECT ${sell.id}::uuid, user_id, 'SELL', 'PENDING', ${sell.quoteId}::uuid,
      ${sell.unit}, ${sell.proceedsPaise}::bigint, ${gramsToDatabase(sell.grams)}::numeric,
      ${sell.pricePerGramPaise}::bigint, ${sell.proceedsPaise}::bigint,
      ${sell.withheldPaise}::bigint, ${sell.provider}, ${sell.providerRateId},
      ${sell.bankAccountId}::uuid, ${sell.at}::timestamptz, ${sell.at}::timestamptz
    FROM ${source}
    RETURNING *`;
  const event = sql`
    INSERT INTO gold_order_event
      (id, order_id, from_status, to_status, cause, actor, request_id, at)
    SELECT ${sell.eventId}::uuid, id, NULL, status, 'order.placed',
      ${`customer:${sell.userId}`}, ${sell.requestId}, ${sell.at}::timestamptz
    FROM placed`;
  const parts = [
    ...before,
    { name: 'placed', write: order },
    { name: 'noted', write: event },
    ...after,
  ];
  const row = await writeTogether<Row>(db, parts, sql`SELECT ${columnList} FROM placed`);
  return row === undefined ? undefined : toOrder(row);
};

/**
 * Adds up the amounts of the customer's purchases of a day. An unpaid or FAILED purchase counts
 * while its price lock is valid, since it may still be paid (contract: money > Trading limits). The
 * sum is final only under the holding's lock. The query is raw SQL, because every purchase reads it
 * twice (benchmarks.md).
 */
export const readBuys = (
  userId: string,
  day: {
    readonly from: Date;
    readonly to: Date;
    readonly now: Date;
    /** The id of an installment that is not counted, because it is about to be paid. */
    readonly exceptId?: string | undefined;
  },
): Read<Paise> =>
  readOf(
    sql`
      SELECT coalesce(sum(amount_paise), 0)::text AS bought FROM (
        SELECT amount_paise FROM gold_order
        WHERE user_id = ${userId}::uuid AND type = 'BUY'
          AND created_at >= ${day.from}::timestamptz AND created_at < ${day.to}::timestamptz
          AND (status NOT IN ('PENDING', 'FAILED') OR lock_ends_at > ${day.now}::timestamptz)
        UNION ALL
        SELECT o.amount_paise FROM gold_order o
        WHERE o.id IN (
            SELECT p.order_id FROM payment_order p
            WHERE p.user_id = ${userId}::uuid
              AND p.checkout_opened_at >= ${day.from}::timestamptz
              AND p.checkout_opened_at < ${day.to}::timestamptz)
          AND (o.status <> 'FAILED' OR o.expires_at > ${day.now}::timestamptz)
          AND o.id IS DISTINCT FROM ${day.exceptId ?? null}::uuid) AS counted`,
    (row: { readonly bought: string } | undefined) => paise(BigInt(row?.bought ?? 0)),
  );

/** Returns the order's history, oldest first. */
export const listOrderEvents = async (db: Db, orderId: string): Promise<GoldOrderEvent[]> => {
  const rows = await db.goldOrderEvent.findMany({ where: { orderId }, orderBy: { seq: 'asc' } });
  return rows.map(({ fromStatus: from, toStatus: to, cause, actor, requestId, at }) => ({
    from,
    to,
    cause,
    actor,
    requestId,
    at,
  }));
};

type OrderIds = Promise<{ id: string }[]>;

/** Sorts the batch of a sweep, so that orders that an earlier pass could not complete come last. */
const leastRecentlySwept = { sweptAt: { sort: 'asc', nulls: 'first' } } as const;

/** Moves an order that a sweep could not complete to the end of the next batch. */
export const markOrderSwept = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.goldOrder.updateMany({ where: { id }, data: { sweptAt: at } });
};

/** Lists unpaid buys whose price lock has ended, least recently swept first. */
export const listLapsedBuys = (db: Db, now: Date, limit: number): OrderIds =>
  db.goldOrder.findMany({
    where: { status: 'PENDING', type: 'BUY', expiresAt: { lte: now } },
    orderBy: [leastRecentlySwept, { expiresAt: 'asc' }],
    take: limit,
    select: { id: true },
  });

/** The condition for the types of orders that are allocated. */
const isBuyType = { in: ['BUY', 'SIP_INSTALLMENT'] };

/** Lists paid orders that have not changed since `before`. Their allocation job was probably lost. */
export const listStalledBuys = (db: Db, before: Date, limit: number): OrderIds =>
  db.goldOrder.findMany({
    where: { status: 'PAID', type: isBuyType, updatedAt: { lt: before } },
    orderBy: [leastRecentlySwept, { updatedAt: 'asc' }],
    take: limit,
    select: { id: true },
  });

/** Lists orders whose next retry of the allocation was due before `before` and has not begun. */
export const listOverdueRetries = (db: Db, before: Date, limit: number): OrderIds =>
  db.goldOrder.findMany({
    where: { status: 'RETRY_PENDING', type: isBuyType, nextAttemptAt: { lt: before } },
    orderBy: [leastRecentlySwept, { nextAttemptAt: 'asc' }],
    take: limit,
    select: { id: true },
  });

/**
 * Puts a verified sale under review. The state does not change, and the grams stay reserved.
 * Returns false if it was already under review or is no longer VERIFIED.
 */
export const markSaleInReview = async (
  db: Db,
  orderId: string,
  review: { readonly code: ManualReviewCode; readonly reason: string; readonly at: Date },
): Promise<boolean> => {
  const { count } = await db.goldOrder.updateMany({
    where: { id: orderId, type: 'SELL', status: 'VERIFIED', manualReviewCode: null },
    data: {
      manualReviewCode: review.code,
      manualReviewReason: review.reason,
      updatedAt: review.at,
    },
  });
  return count === 1;
};

/**
 * Lists PENDING sales that have not changed since `before`. The process that placed them may have
 * died.
 */
export const listAbandonedSales = (db: Db, before: Date, limit: number): OrderIds =>
  db.goldOrder.findMany({
    where: { type: 'SELL', status: 'PENDING', updatedAt: { lt: before } },
    orderBy: [leastRecentlySwept, { updatedAt: 'asc' }],
    take: limit,
    select: { id: true },
  });

/**
 * Lists verified sales that need a query at the provider, because they are under review or unchanged
 * since `before`. It leaves out sales that were queried after `queriedBefore` or whose confirm
 * another worker has leased. The lease is a plain condition here, because `createLease` may be used
 * only in the module that writes its table.
 */
export const listUndecidedSales = (
  db: Db,
  before: Date,
  queriedBefore: Date,
  limit: number,
): OrderIds =>
  selectRows(
    db,
    sql`
      SELECT o.id FROM gold_order o
      WHERE o.type = 'SELL' AND o.status = 'VERIFIED'
        AND (o.manual_review_code IS NOT NULL OR o.updated_at < ${before}::timestamptz)
        AND NOT EXISTS (
          SELECT FROM provider_operation p
          WHERE p.order_id = o.id AND p.operation = 'sell-confirm'
            AND (p.lease_until > clock_timestamp()
              OR p.last_asked_at > ${queriedBefore}::timestamptz))
      ORDER BY o.swept_at NULLS FIRST, o.updated_at LIMIT ${limit}`,
  );

/** Returns true if gold was ever bought for a customer, even if it was recovered since. */
export const hasAllocatedOrder = async (db: Db, userId: string): Promise<boolean> => {
  const where = { userId, type: { not: 'SELL' }, allocatedAt: { not: null } };
  return (await db.goldOrder.findFirst({ where, select: { id: true } })) !== null;
};

/** Returns true if a sale that will be paid to this account has no payout yet. */
export const hasOpenSale = async (db: Db, bankAccountId: string): Promise<boolean> => {
  const where = { bankAccountId, status: { in: ['PENDING', 'VERIFIED'] } };
  return (await db.goldOrder.findFirst({ where, select: { id: true } })) !== null;
};
