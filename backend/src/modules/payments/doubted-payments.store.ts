import { selectOne, sql, type Db } from '../../platform/db/index.ts';

/** The review codes of an order whose payment is in doubt. */
type MoneyDoubt = 'PAYMENT_REVERSED' | 'FAILED_AFTER_PAID';

/**
 * Records that the gateway reported a captured payment as failed afterwards. Returns false if the
 * failure is already recorded. A repeated report does not undo the decision of a resolution.
 */
export const markFailedAfterCapture = async (db: Db, id: string, at: Date): Promise<boolean> => {
  const { count } = await db.gatewayPayment.updateMany({
    where: { id, status: 'CAPTURED', failedAfterCaptureAt: null },
    data: { failedAfterCaptureAt: at, updatedAt: at },
  });
  return count === 1;
};

/** Records that a resolution has decided the failure of a payment, if the payment failed. */
export const markFailureResolved = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.gatewayPayment.updateMany({
    where: { id, failedAfterCaptureAt: { not: null }, failureResolvedAt: null },
    data: { failureResolvedAt: at, updatedAt: at },
  });
};

/**
 * Returns the unresolved doubt about the payment for an order's gold: it was reversed in whole or in
 * part, or it failed after its capture. Returns undefined if there is no doubt. The result is final
 * only under the order's lock.
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
