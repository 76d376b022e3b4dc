import { sql, type Sql } from '../../../platform/db/index.ts';
import { boughtLessSold, isToHouse, customersToProve } from '../window.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';

/**
 * Selects the figures of the holdings of some customers. `customers` selects their `user_id`.
 *
 * * `balance` and `invested_paise` are the columns of the holding.
 * * `newest_grams` and `newest_paise` are the same figures after the newest movement.
 * * `moved_grams` and `moved_paise` are the sums of all movements.
 * * `ordered_grams` is the gold of allocated orders less the gold that was sold or went to the house.
 */
export const figuresOf = (customers: Sql): Sql => sql`
  SELECT h.user_id, h.balance, h.invested_paise, h.updated_at,
    coalesce(newest.balance_after, 0) AS newest_grams,
    coalesce(newest.invested_after_paise, 0) AS newest_paise,
    moved.grams AS moved_grams, moved.paise AS moved_paise,
    moved.to_house + ordered.grams AS ordered_grams
  FROM (${customers}) AS customer
  -- OFFSET 0 keeps the planner from joining this subquery, since it would then read all holdings.
  CROSS JOIN LATERAL (SELECT * FROM holding WHERE user_id = customer.user_id OFFSET 0) AS h
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(m.grams), 0) AS grams,
      coalesce(sum(m.invested_paise), 0)::bigint AS paise,
      coalesce(sum(m.grams) FILTER (WHERE ${isToHouse}), 0) AS to_house
    FROM holding_movement m WHERE m.user_id = h.user_id) AS moved
  CROSS JOIN LATERAL (
    SELECT ${boughtLessSold} AS grams FROM gold_order o WHERE o.user_id = h.user_id) AS ordered
  LEFT JOIN LATERAL (
    SELECT m.balance_after, m.invested_after_paise FROM holding_movement m
    WHERE m.user_id = h.user_id ORDER BY m.version DESC LIMIT 1) AS newest ON true`;

/** Matches figures whose balance disagrees. */
export const balanceDrifted = sql`
  (balance <> ordered_grams OR balance <> moved_grams OR balance <> newest_grams)`;

/** Matches figures whose invested rupees disagree. */
export const investedDrifted = sql`(invested_paise <> moved_paise OR invested_paise <> newest_paise)`;

/**
 * Finds balances that differ from the sum of the holding's movements, from the balance after the
 * newest movement, or from the allocated gold less the gold that was sold, forfeited or recovered.
 * It reads the customers of the window, and those whose holding changed since it was last proven.
 * The other holdings agreed then (contract: operators > Reconciliation checks).
 */
export const holdingBalanceDrift: Check = {
  id: 'holding_balance_drift',
  title: 'A balance that is not what was allocated less what was sold',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        SELECT updated_at AS since, user_id AS "userId", trim_scale(balance)::text AS balance,
          trim_scale(ordered_grams)::text AS "allocatedLessSold",
          trim_scale(moved_grams)::text AS "sumOfMovements",
          trim_scale(newest_grams)::text AS "newestMovementLeft"
        FROM (${figuresOf(customersToProve(from))}) AS figures
        WHERE ${balanceDrifted}`,
    ),
};

/**
 * Matches a movement `m` that changed the invested rupees wrongly. A credit adds the amount that was
 * paid for its order. A debit takes its share of the invested amount, rounded half-up. The debit of
 * the last gram takes the whole amount.
 */
const wrongMovement = sql`
  CASE m.kind
    WHEN 'CREDIT' THEN m.invested_paise <> o.amount_paise AND NOT EXISTS (
      SELECT FROM payment_order p WHERE p.order_id = o.id AND p.amount_paise = m.invested_paise)
    -- The whole-number quotient (2ab + c) / 2c is ab / c rounded half-up.
    ELSE m.invested_paise <> -div(
      2 * (m.invested_after_paise - m.invested_paise) * -m.grams + (m.balance_after - m.grams),
      2 * (m.balance_after - m.grams))
  END`;

/**
 * Finds invested amounts that differ from the sum of the holding's movements, or from the amount
 * after the newest movement. It reads the same customers as `holding_balance_drift`. It also finds
 * movements of the window that changed the invested amount wrongly. An order whose own amounts
 * disagree is reported by `payment_amount_mismatch`.
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
