import { selectOne, sql, type Db } from '../../platform/db/index.ts';

/** The review codes of an order whose own money is in doubt. */
type MoneyDoubt = 'PAYMENT_REVERSED' | 'FAILED_AFTER_PAID';

/**
 * Records that a captured payment failed afterwards, as its gateway says. Returns false where that
 * is recorded already: it counts once, and a repeat does not undo what a resolution made of it.
 */
export const markFailedAfterCapture = async (db: Db, id: string, at: Date): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', failedAfterCaptureAt: null },
    data: { failedAfterCaptureAt: at, updatedAt: at },
  });
  return count === 1;
};

/** Records that a resolution has judged the failure of a payment, where there was one. */
export const resolveFailure = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.gatewayPayment.updateMany({
    where: { id, failedAfterCaptureAt: { not: null }, failureResolvedAt: null },
    data: { failureResolvedAt: at, updatedAt: at },
  });
};

/**
 * Returns why the money that an order's gold was, or is to be, bought with is in doubt with no
 * resolution yet: it went away, in whole or in part, or else it failed after its capture. Whatever
 * ends a review asks this first. Final only under the order's lock.
 */
export const findMoneyDoubt = async (db: Db, orderId: string): Promise<MoneyDoubt | undefined> => {
  const row = await selectOne<{ isReversed: boolean | null; hasFailed: boolean | null }>(
    db,
    sql`
      SELECT
        bool_or(EXISTS (
          SELECT FROM payment_reversal AS r
          WHERE r.gateway = g.gateway AND r.gateway_payment_id = g.gateway_payment_id
            AND r.resolved_at IS NULL)) AS "isReversed",
        bool_or(g.failed_after_capture_at IS NOT NULL
          AND g.failure_resolved_at IS NULL) AS "hasFailed"
      FROM gateway_payment AS g JOIN payment_order AS p ON p.id = g.payment_order_id
      WHERE p.order_id = ${orderId}::uuid AND g.status = 'CAPTURED' AND g.standing = 'APPLIED'`,
  );
  if (row?.isReversed === true) return 'PAYMENT_REVERSED';
  return row?.hasFailed === true ? 'FAILED_AFTER_PAID' : undefined;
};
