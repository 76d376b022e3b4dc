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

/** A payment by the gateway's own id. */
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
 * Reads the facts that a report of a payment is compared with, under the locks. They are the
 * recorded payment, whether its order holds money of another payment, and whether a reversal was
 * reported before its capture.
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

/** Selects the payments of an order whose money was captured and not paid back. */
const heldFor = (orderId: string) =>
  ({
    paymentOrder: { orderId },
    status: 'CAPTURED',
    disposition: { not: 'REFUNDED' },
  }) as const;

/**
 * The time in ms after a capture in which its events normally arrive. The gateway is first queried
 * for reversals after it.
 */
const firstPauseMs = 60 * 60_000;

/**
 * Records a reported payment, one row each by the gateway's own id, and returns the row's id.
 * Updates a FAILED or UNMATCHED row. Leaves a captured payment unchanged and returns undefined.
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

/**
 * Lists the captured payments of an order that were not paid back, oldest first. Final only under
 * the order's lock.
 */
const earlier = (one: Date | null, other: Date): Date =>
  one === null || one > other ? other : one;

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
      createdAt: earlier(row.gatewayAt, row.learnedAt),
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

/** Records that a payment's money went back. Returns false when that was recorded before. */
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

/** Lets a late payment pay for its order. Returns false when its money is elsewhere. */
export const markPaymentApplied = async (db: Db, id: string, at: Date): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', disposition: { in: ['LATE', 'APPLIED'] } },
    data: { disposition: 'APPLIED', updatedAt: at },
  });
  return count === 1;
};

/**
 * Makes a second payment pay for the gold whose own payment was refunded. Returns false when its
 * money has another use. The first payment must have been recorded as refunded before.
 */
export const markSecondApplied = async (db: Db, id: string, at: Date): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', disposition: 'SECOND' },
    data: { disposition: 'APPLIED', updatedAt: at },
  });
  return count === 1;
};

/**
 * Records a reversal, one row for each id of the gateway. Returns false if it is already recorded.
 * A reversal without an id is identified only by its event.
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

/**
 * Records that a resolution has accounted for the reversals of a payment that are recorded so far.
 */
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

/** The longest pause in ms between two queries about a payment, with a margin. */
const longestPauseMs = 25 * 60 * 60_000;

/**
 * Selects captured payments whose gateway is due to be queried for reversals, longest due first,
 * except those of gateways that did not answer. A queried payment is due again later, so that no
 * payment waits behind the same others forever.
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

/** Lists the payments of `reversalPollsSql`. */
export const listReversalPolls = (
  db: Db,
  due: { readonly now: Date; readonly limit: number },
  silentGateways: readonly string[],
): Promise<PolledPayment[]> => selectRows(db, reversalPollsSql(due, silentGateways));

/**
 * Returns true for the one caller that may query this payment now. A payment is queried once an
 * hour in its first three days, which is the period of reconciliation, and once a day for half a
 * year after that, in which banks accept disputes.
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
