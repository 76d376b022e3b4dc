import { addMs } from '../../../platform/clock/clock.ts';
import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';

const graceMs = 15 * 60_000;

/**
 * Finds orders that were paid over 15 min ago and have neither their gold nor a review. An order whose
 * status says that it is paid is found at any age. A PENDING or FAILED order is found if a capture
 * for it became known within the report's window.
 */
export const capturedNotAllocated: Check = {
  id: 'captured_not_allocated',
  title: 'Paid over 15 minutes ago, neither allocated nor under review',
  severity: 'critical',
  run: ({ read, now, from }) => {
    const cutoff = addMs(now, -graceMs);
    return findRows(
      read,
      sql`
        WITH unallocated AS (
          SELECT o.id, coalesce(o.paid_at, o.updated_at) AS since FROM gold_order o
          WHERE o.status IN ('PAID', 'RETRY_PENDING')
            AND coalesce(o.paid_at, o.updated_at) < ${cutoff}::timestamptz
          UNION ALL
          SELECT p.order_id, min(g.learned_at)
          FROM gateway_payment g
          JOIN payment_order p ON p.id = g.payment_order_id
          JOIN gold_order o ON o.id = p.order_id
          WHERE g.learned_at >= ${from}::timestamptz AND g.learned_at < ${cutoff}::timestamptz
            AND g.status = 'CAPTURED' AND o.status IN ('PENDING', 'FAILED')
          GROUP BY p.order_id)
        SELECT unallocated.since, o.id AS "orderId", o.user_id AS "userId", o.type,
          o.status AS "orderStatus", o.amount_paise AS "amountPaise", o.provider_tx_id AS "providerTxId"
        FROM unallocated JOIN gold_order o ON o.id = unallocated.id`,
    );
  },
};
