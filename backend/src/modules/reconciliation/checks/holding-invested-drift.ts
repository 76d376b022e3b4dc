import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { customersSince } from '../window.ts';

/**
 * Matches a movement `m` that changed the invested rupees wrongly. A credit adds what was paid for
 * its order. A debit takes its part of what was invested before it, half-up, and all of it with
 * the last gram.
 */
const wrongMovement = sql`
  CASE m.kind
    WHEN 'CREDIT' THEN m.invested_paise <> o.amount_paise AND NOT EXISTS (
      SELECT FROM payment_order p WHERE p.order_id = o.id AND p.amount_paise = m.invested_paise)
    -- Twice everything and a half more, in whole numbers: half-up without a rounded quotient.
    ELSE m.invested_paise <> -div(
      2 * (m.invested_after_paise - m.invested_paise) * -m.grams + (m.balance_after - m.grams),
      2 * (m.balance_after - m.grams))
  END`;

/**
 * Finds wrong invested amounts, as with balances: of every customer, invested is what the newest
 * movement left; of the customers of the window it is the sum of all their movements, and each of
 * the window's movements changed it by what its order paid, or by the part that was sold. (An order
 * whose own amounts disagree is `payment_amount_mismatch`.)
 */
export const holdingInvestedDrift: Check = {
  id: 'holding_invested_drift',
  title: 'Invested rupees that are not what was paid for the gold still held',
  severity: 'high',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        WITH wrong AS (
          SELECT m.user_id, min(m.order_id::text) AS order_id
          FROM holding_movement m LEFT JOIN gold_order o ON o.id = m.order_id
          WHERE m.at >= ${from}::timestamptz AND ${wrongMovement}
          GROUP BY m.user_id),
        suspect AS (
          SELECT h.user_id FROM holding h
          LEFT JOIN LATERAL (
            SELECT m.invested_after_paise FROM holding_movement m
            WHERE m.user_id = h.user_id ORDER BY m.version DESC LIMIT 1) AS newest ON true
          WHERE h.invested_paise <> coalesce(newest.invested_after_paise, 0)
          UNION
          SELECT id FROM (${customersSince(from)}) AS recent),
        figures AS (
          SELECT h.user_id, h.balance, h.invested_paise, h.updated_at, moved.invested_paise AS moved,
            coalesce(newest.invested_after_paise, 0) AS newest, wrong.order_id
          FROM suspect JOIN holding h ON h.user_id = suspect.user_id
          CROSS JOIN LATERAL (
            SELECT coalesce(sum(m.invested_paise), 0)::bigint AS invested_paise
            FROM holding_movement m WHERE m.user_id = h.user_id) AS moved
          LEFT JOIN LATERAL (
            SELECT m.invested_after_paise FROM holding_movement m
            WHERE m.user_id = h.user_id ORDER BY m.version DESC LIMIT 1) AS newest ON true
          LEFT JOIN wrong ON wrong.user_id = h.user_id)
        SELECT updated_at AS since, user_id AS "userId", order_id AS "orderId",
          trim_scale(balance)::text AS balance, invested_paise AS "investedPaise",
          moved AS "sumOfMovementsPaise", newest AS "newestMovementLeftPaise"
        FROM figures
        WHERE invested_paise <> moved OR invested_paise <> newest OR order_id IS NOT NULL`,
    ),
};
