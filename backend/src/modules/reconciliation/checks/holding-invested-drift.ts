import { sql } from '../../../platform/db/index.ts';
import { figuresOf, investedDrifted } from '../drifted-holdings.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { customersToProve } from '../window.ts';

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
 * Finds wrong invested amounts, as with balances: of any customer, invested is the sum of all their
 * movements and what the newest of them left; and each of the window's movements changed it by what
 * its order paid, or by the part that was sold. (An order whose own amounts disagree is
 * `payment_amount_mismatch`.)
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
          GROUP BY m.user_id)
        SELECT updated_at AS since, user_id AS "userId", wrong.order_id AS "orderId",
          trim_scale(balance)::text AS balance, invested_paise AS "investedPaise",
          moved_paise AS "sumOfMovementsPaise", newest_paise AS "newestMovementLeftPaise"
        FROM (${figuresOf(customersToProve(from))}) AS figures LEFT JOIN wrong USING (user_id)
        WHERE ${investedDrifted} OR wrong.order_id IS NOT NULL`,
    ),
};
