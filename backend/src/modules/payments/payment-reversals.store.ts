import { paise } from '../../money/index.ts';
import { execute, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { RecordedReversal, ReversalKind, ReversalReport } from './payments.types.ts';

/**
 * Records a reversal, one row for each by the gateway's own id. Returns false when it is known
 * already. One without an id is told apart by its event alone.
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

/** A payment by the gateway's own id. */
interface PaymentId {
  readonly gateway: string;
  readonly gatewayPaymentId: string;
}

/** Lists what is recorded of a payment, oldest first. Final only under its order's lock. */
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

/** Records that a resolution has accounted for what is recorded of a payment so far. */
export const resolveReversals = async (
  db: Db,
  { gateway, gatewayPaymentId }: PaymentId,
  at: Date,
): Promise<void> => {
  await db.paymentReversal.updateMany({
    where: { gateway, gatewayPaymentId, resolvedAt: null },
    data: { resolvedAt: at },
  });
};

/**
 * Tells an order whose money went away, in whole or in part, with no resolution yet: that of the
 * payment that its gold was, or is to be, bought with. Final only under the order's lock.
 */
export const hasOpenReversal = async (db: Db, orderId: string): Promise<boolean> => {
  const row = await selectOne<{ id: string }>(
    db,
    sql`
      SELECT r.id FROM payment_reversal r
      JOIN gateway_payment g USING (gateway, gateway_payment_id)
      JOIN payment_order p ON p.id = g.payment_order_id
      WHERE p.order_id = ${orderId}::uuid AND g.status = 'CAPTURED' AND g.standing = 'APPLIED'
        AND r.resolved_at IS NULL
      LIMIT 1`,
  );
  return row !== undefined;
};

/** A payment whose gateway is to be asked for reversals. */
export interface PolledPayment extends PaymentId {
  readonly id: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderId: string;
}

/** The times that decide which payments are due to be asked for. */
export interface ReversalPollWindow {
  readonly now: Date;
  /** Captured before this, and after `capturedFrom`. */
  readonly capturedBefore: Date;
  readonly capturedFrom: Date;
  /** Not asked since this; a payment captured before `recentFrom` not since `longNotAsked`. */
  readonly notAskedSince: Date;
  readonly recentFrom: Date;
  readonly longNotAsked: Date;
  readonly limit: number;
}

/** Lists captured payments whose gateway was not asked for a while, the longest unasked first. */
export const listReversalPolls = (db: Db, window: ReversalPollWindow): Promise<PolledPayment[]> =>
  selectRows<PolledPayment>(
    db,
    sql`
      SELECT id, gateway, gateway_payment_id AS "gatewayPaymentId",
        gateway_order_id AS "gatewayOrderId", payment_order_id AS "paymentOrderId"
      FROM gateway_payment
      WHERE status IN ('CAPTURED', 'REFUNDED') AND payment_order_id IS NOT NULL
        AND learned_at > ${window.capturedFrom}::timestamptz
        AND learned_at < ${window.capturedBefore}::timestamptz
        -- A time that lies ahead was written before the clock was set back.
        AND (reversals_asked_at IS NULL OR reversals_asked_at > ${window.now}::timestamptz
          OR reversals_asked_at < CASE
            WHEN learned_at > ${window.recentFrom}::timestamptz
            THEN ${window.notAskedSince}::timestamptz
            ELSE ${window.longNotAsked}::timestamptz END)
      ORDER BY reversals_asked_at NULLS FIRST, learned_at LIMIT ${window.limit}`,
  );

/** Returns true to the one caller that may ask for this payment now. */
export const claimReversalPoll = async (
  db: Db,
  id: string,
  { now, notAskedSince }: ReversalPollWindow,
): Promise<boolean> => {
  const count = await execute(
    db,
    sql`
      UPDATE gateway_payment SET reversals_asked_at = ${now}::timestamptz
      WHERE id = ${id}::uuid AND (reversals_asked_at IS NULL
        OR reversals_asked_at < ${notAskedSince}::timestamptz
        OR reversals_asked_at > ${now}::timestamptz)`,
  );
  return count === 1;
};
