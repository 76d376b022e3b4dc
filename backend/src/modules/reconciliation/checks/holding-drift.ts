import { sql, type Sql } from '../../../platform/db/index.ts';
import { boughtLessSold, isToHouse, customersToProve } from '../window.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';

/**
 * Selects the figures of the holdings of some customers, each by its own keys: the balance and the
 * invested rupees (`balance`, `invested_paise`), what the newest movement left (`newest_grams`,
 * `newest_paise`), the sums of all movements (`moved_grams`, `moved_paise`), and what was allocated
 * less what was sold (`ordered_grams`). `customers` selects a `user_id`.
 */
export const figuresOf = (customers: Sql): Sql => sql`
  SELECT h.user_id, h.balance, h.invested_paise, h.updated_at,
    coalesce(newest.balance_after, 0) AS newest_grams,
    coalesce(newest.invested_after_paise, 0) AS newest_paise,
    moved.grams AS moved_grams, moved.paise AS moved_paise,
    moved.to_house + ordered.grams AS ordered_grams
  FROM (${customers}) AS customer
  -- A subquery of its own for each customer: joined, the planner would rather read all holdings.
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
 * Finds balances that are not what was allocated less what was sold, of any customer, whenever they
 * were last here: the balance is the sum of all their movements, what the newest of them left, and
 * all their allocated orders less sold ones and what went to the house: forfeited or recovered.
 * Read are the customers of the window and those who changed since they were last proven: of the
 * others nothing has changed since (contract: operators > Reconciliation checks).
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
 * movements and what the newest of them left, and each of the window's movements changed it by what
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
