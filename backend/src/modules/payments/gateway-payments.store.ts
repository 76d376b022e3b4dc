import { paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import {
  execute,
  readAlone,
  readOf,
  selectOne,
  selectRows,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import type {
  HeldPayment,
  PaymentDisposition,
  PaymentReport,
  RecordedPayment,
  RecordedReversal,
  ReversalKind,
  ReversalReport,
} from './payments.types.ts';

/** Identifies a payment by the gateway's own id. */
interface PaymentId {
  readonly gateway: string;
  readonly gatewayPaymentId: string;
}

type RecordedRow = Omit<RecordedPayment, 'amountPaise' | 'failedAfterCaptureAt'> & {
  readonly amountPaise: string;
  readonly failedAfterCaptureAt: Date | string | null;
};

const toRecorded = (row: RecordedRow | undefined): RecordedPayment | undefined => {
  if (row === undefined) return undefined;
  const { amountPaise, failedAfterCaptureAt: failedAt } = row;
  return {
    ...row, // its states are held by check constraints
    amountPaise: paise(BigInt(amountPaise)),
    failedAfterCaptureAt: failedAt === null ? null : new Date(failedAt),
  };
};

const readRecordedPayment = ({ gateway, gatewayPaymentId }: PaymentId) =>
  readOf(
    sql`
      SELECT id, gateway, gateway_payment_id AS "gatewayPaymentId",
        payment_order_id AS "paymentOrderId", status, standing AS disposition,
        amount_paise::text AS "amountPaise", currency,
        failed_after_capture_at AS "failedAfterCaptureAt"
      FROM gateway_payment
      WHERE gateway = ${gateway} AND gateway_payment_id = ${gatewayPaymentId}`,
    toRecorded,
  );

/**
 * Returns the reads of the facts that decide the effect of a payment's report: the payment as it is
 * recorded, whether its order holds money of another payment, and whether a reversal of the payment
 * is recorded. They must be executed under the order's lock.
 */
export const readEarlierPayments = (orderId: string, payment: PaymentId) => ({
  known: readRecordedPayment(payment),
  hasOtherCapture: readOf(
    sql`
      SELECT true AS found FROM gateway_payment g
      JOIN payment_order p ON p.id = g.payment_order_id
      WHERE p.order_id = ${orderId}::uuid AND g.status = 'CAPTURED' AND g.standing <> 'REFUNDED'
        AND NOT (g.gateway = ${payment.gateway}
          AND g.gateway_payment_id = ${payment.gatewayPaymentId})
      LIMIT 1`,
    (row: object | undefined) => row !== undefined,
  ),
  hasEarlierReversal: readOf(
    sql`
      SELECT true AS found FROM payment_reversal
      WHERE gateway = ${payment.gateway} AND gateway_payment_id = ${payment.gatewayPaymentId}
      LIMIT 1`,
    (row: object | undefined) => row !== undefined,
  ),
});

/** Returns our record of a payment, by the gateway's own id. */
export const findRecordedPayment = (
  db: Db,
  gateway: string,
  gatewayPaymentId: string,
): Promise<RecordedPayment | undefined> =>
  readAlone(db, readRecordedPayment({ gateway, gatewayPaymentId }));

/** Returns the condition for payments of an order whose money was captured and not paid back. */
const heldFor = (orderId: string) =>
  ({
    paymentOrder: { orderId },
    status: 'CAPTURED',
    disposition: { not: 'REFUNDED' },
  }) as const;

/**
 * The time in ms from a capture to the first query for its reversals. Events of the payment normally
 * arrive earlier.
 */
const firstPauseMs = 60 * 60_000;

/**
 * Records a reported payment, in one row for each id of the gateway, and returns the row's id. A new
 * report replaces a FAILED row, and a new capture replaces an UNMATCHED row. Any other recorded
 * payment stays unchanged, and the function returns undefined.
 */
export const recordPayment = async (
  db: Db,
  report: PaymentReport,
  record: {
    /** The id of a new row. A payment that is already recorded keeps its id. */
    readonly id: string;
    readonly paymentOrderId: string | undefined;
    readonly disposition: PaymentDisposition;
  },
): Promise<string | undefined> => {
  const status = report.kind === 'captured' ? 'CAPTURED' : 'FAILED';
  const nextPollAt = status === 'CAPTURED' ? addMs(report.learnedAt, firstPauseMs) : null;
  const row = await selectOne<{ id: string }>(
    db,
    sql`
      INSERT INTO gateway_payment AS g
        (id, gateway, gateway_payment_id, gateway_order_id, payment_order_id, status, standing,
         amount_paise, currency, method, learned_at, gateway_at, next_reversal_poll_at,
         updated_at)
      VALUES
        (${record.id}::uuid, ${report.gateway}, ${report.gatewayPaymentId},
         ${report.gatewayOrderId}, ${record.paymentOrderId ?? null}::uuid, ${status},
         ${record.disposition}, ${report.amountPaise}, ${report.currency},
         ${report.method ?? null}, ${report.learnedAt}::timestamptz,
         ${report.occurredAt}::timestamptz, ${nextPollAt}::timestamptz,
         ${report.learnedAt}::timestamptz)
      ON CONFLICT (gateway, gateway_payment_id) DO UPDATE SET
        gateway_order_id = EXCLUDED.gateway_order_id,
        payment_order_id = COALESCE(EXCLUDED.payment_order_id, g.payment_order_id),
        status = EXCLUDED.status, standing = EXCLUDED.standing,
        amount_paise = EXCLUDED.amount_paise, currency = EXCLUDED.currency,
        method = COALESCE(EXCLUDED.method, g.method), learned_at = EXCLUDED.learned_at,
        gateway_at = EXCLUDED.gateway_at,
        next_reversal_poll_at = EXCLUDED.next_reversal_poll_at, updated_at = EXCLUDED.updated_at
      WHERE g.standing = 'NONE' OR (g.standing = 'UNMATCHED' AND EXCLUDED.status = 'CAPTURED')
      RETURNING g.id`,
  );
  return row?.id;
};

const earlierOf = (one: Date | null, other: Date): Date =>
  one === null || one > other ? other : one;

/**
 * Lists the captured payments of an order that were not paid back, oldest first. The list is final
 * only under the order's lock.
 */
export const listHeldPayments = async (db: Db, orderId: string): Promise<HeldPayment[]> => {
  const rows = await db.gatewayPayment.findMany({
    where: heldFor(orderId),
    include: { paymentOrder: true },
    orderBy: [{ learnedAt: 'asc' }, { id: 'asc' }],
  });
  const held: HeldPayment[] = [];
  for (const { paymentOrder, ...row } of rows) {
    if (paymentOrder === null) continue;
    const { id, gateway, gatewayPaymentId, amountPaise, currency } = row;
    held.push({
      id,
      gateway,
      gatewayPaymentId,
      gatewayOrderId: row.gatewayOrderId ?? paymentOrder.gatewayOrderId,
      paymentOrderId: paymentOrder.id,
      createdAt: earlierOf(row.gatewayAt, row.learnedAt),
      amountPaise: paise(amountPaise),
      currency,
      disposition: row.disposition as PaymentDisposition, // held by a check constraint
      isAsRequested: amountPaise === paymentOrder.amountPaise && currency === paymentOrder.currency,
      hasOpenFailure: row.failedAfterCaptureAt !== null && row.failureResolvedAt === null,
      reversals: await listReversals(db, row),
    });
  }
  return held;
};

/** Records that a payment was refunded. Returns false if the refund is already recorded. */
export const markPaymentRefunded = async (
  db: Db,
  id: string,
  reference: string,
  at: Date,
): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', disposition: { not: 'REFUNDED' } },
    data: {
      status: 'REFUNDED',
      disposition: 'REFUNDED',
      refundReference: reference,
      refundedAt: at,
      updatedAt: at,
    },
  });
  return count === 1;
};

/**
 * Makes a late payment pay for its order. Changes nothing in a payment that already pays for it.
 * Returns false if the payment has another disposition.
 */
export const markPaymentApplied = async (db: Db, id: string, at: Date): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', disposition: { in: ['LATE', 'APPLIED'] } },
    data: { disposition: 'APPLIED', updatedAt: at },
  });
  return count === 1;
};

/**
 * Makes a second payment pay for the gold of an order whose first payment was refunded. The refund
 * must already be recorded. Returns false if the payment has another disposition.
 */
export const markSecondApplied = async (db: Db, id: string, at: Date): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', disposition: 'SECOND' },
    data: { disposition: 'APPLIED', updatedAt: at },
  });
  return count === 1;
};

/**
 * Records a reversal, in one row for each id of the gateway. Returns false if it is already
 * recorded. A reversal without an id always gets a row, so only its event prevents a repeat.
 */
export const insertReversal = async (
  db: Db,
  id: string,
  {
    kind,
    gateway,
    gatewayPaymentId,
    reference,
    amountPaise,
    learnedAt,
    occurredAt,
  }: ReversalReport,
): Promise<boolean> => {
  const { count } = await db.paymentReversal.createMany({
    data: {
      id,
      gateway,
      gatewayPaymentId,
      kind,
      reference: reference ?? null,
      amountPaise,
      learnedAt,
      gatewayAt: occurredAt,
    },
    skipDuplicates: true,
  });
  return count === 1;
};

/**
 * Lists the recorded reversals of a payment, oldest first. The list is final only under the order's
 * lock.
 */
export const listReversals = async (
  db: Db,
  { gateway, gatewayPaymentId }: PaymentId,
): Promise<RecordedReversal[]> => {
  const rows = await db.paymentReversal.findMany({
    where: { gateway, gatewayPaymentId },
    orderBy: [{ learnedAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ id, kind, reference, amountPaise, resolvedAt }) => ({
    id,
    kind: kind as ReversalKind, // held by a check constraint
    reference,
    amountPaise: paise(amountPaise),
    isOpen: resolvedAt === null,
  }));
};

/** Records that a resolution has accounted for all recorded reversals of a payment. */
export const markReversalsResolved = async (
  db: Db,
  { gateway, gatewayPaymentId }: PaymentId,
  at: Date,
): Promise<void> => {
  await db.paymentReversal.updateMany({
    where: { gateway, gatewayPaymentId, resolvedAt: null },
    data: { resolvedAt: at },
  });
};

/** A payment whose gateway must be queried for reversals. */
export interface PolledPayment extends PaymentId {
  readonly id: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderId: string;
  /** The earliest time at which the payment was reported. */
  readonly createdAt: Date;
}

/** The longest pause in ms between two queries for a payment's reversals, with a margin. */
const longestPauseMs = 25 * 60 * 60_000;

/**
 * Selects captured payments whose gateway is due to be queried for reversals, longest due first. It
 * leaves out the payments of gateways that did not answer. A queried payment becomes due again
 * later, so every payment gets its turn.
 */
export const reversalPollsSql = (
  { now, limit }: { readonly now: Date; readonly limit: number },
  silentGateways: readonly string[],
): Sql => {
  const dueWhere = (range: Sql): Sql => sql`(
    SELECT id, gateway, gateway_payment_id, gateway_order_id, payment_order_id,
      least(gateway_at, learned_at) AS created_at, next_reversal_poll_at
    FROM gateway_payment
    WHERE status IN ('CAPTURED', 'REFUNDED') AND payment_order_id IS NOT NULL
      AND gateway <> ALL (${silentGateways}::text[]) AND ${range}
    ORDER BY next_reversal_poll_at LIMIT ${limit})`;
  const isDue = sql`next_reversal_poll_at <= ${now}::timestamptz`;
  // A time that lies far ahead was written before the clock was set back.
  const isAhead = sql`next_reversal_poll_at > ${addMs(now, longestPauseMs)}::timestamptz`;
  return sql`
    SELECT id, gateway, gateway_payment_id AS "gatewayPaymentId",
      gateway_order_id AS "gatewayOrderId", payment_order_id AS "paymentOrderId",
      created_at AS "createdAt"
    FROM (${dueWhere(isDue)} UNION ALL ${dueWhere(isAhead)}) AS due
    ORDER BY next_reversal_poll_at LIMIT ${limit}`;
};

/** Lists the payments that `reversalPollsSql` selects. */
export const listReversalPolls = (
  db: Db,
  due: { readonly now: Date; readonly limit: number },
  silentGateways: readonly string[],
): Promise<PolledPayment[]> => selectRows(db, reversalPollsSql(due, silentGateways));

/**
 * Claims a payment for a query for its reversals. Returns true to only one of several concurrent
 * callers. A payment is queried once an hour in its first three days, the period that reconciliation
 * compares. After that it is queried once a day for half a year, in which banks accept disputes.
 */
export const claimReversalPoll = async (db: Db, id: string, now: Date): Promise<boolean> => {
  const count = await execute(
    db,
    sql`
      UPDATE gateway_payment SET reversals_asked_at = ${now}::timestamptz,
        next_reversal_poll_at = CASE
          WHEN ${now}::timestamptz < learned_at + interval '72 hours'
            THEN ${now}::timestamptz + interval '1 hour'
          WHEN ${now}::timestamptz + interval '24 hours' < learned_at + interval '4320 hours'
            THEN ${now}::timestamptz + interval '24 hours' END
      WHERE id = ${id}::uuid AND (next_reversal_poll_at <= ${now}::timestamptz
        OR next_reversal_poll_at > ${addMs(now, longestPauseMs)}::timestamptz)`,
  );
  return count === 1;
};
