import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { ordersSince, payoutsSince } from '../window.ts';

/**
 * Finds sales without a payout, with a payout of another amount, or COMPLETED although the payout is
 * pending, failed or reversed. It covers the window's sales and all sales that still wait for their
 * payout. It also finds payouts of the window for a sale that was never confirmed.
 */
export const sellWithoutPayout: Check = {
  id: 'sell_without_payout',
  title: 'A sale without its payout, or with a payout of another amount',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        SELECT o.created_at AS since, o.id AS "orderId", o.user_id AS "userId",
          o.status AS "orderStatus", o.proceeds_paise AS "proceedsPaise", p.id AS "payoutId",
          p.status AS "payoutStatus", p.amount_paise AS "payoutPaise"
        FROM (
          ${ordersSince(from)}
          UNION
          SELECT c.id FROM gold_order c WHERE c.status = 'CONFIRMED'
          UNION
          SELECT p.order_id FROM (${payoutsSince(from)}) AS recent JOIN payout p ON p.id = recent.id
        ) AS recent
        JOIN gold_order o ON o.id = recent.id
        LEFT JOIN payout p ON p.order_id = o.id
        WHERE CASE WHEN o.type = 'SELL' AND o.status IN ('CONFIRMED', 'COMPLETED')
          THEN p.amount_paise IS DISTINCT FROM o.proceeds_paise - o.withheld_paise
            OR (o.status = 'COMPLETED' AND p.status IN ('PENDING', 'FAILED', 'REVERSED'))
          ELSE p.id IS NOT NULL END`,
    ),
};
