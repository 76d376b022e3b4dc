import { sql, type Sql } from '../../platform/db/index.ts';
import { boughtLessSold, isToHouse } from './window.ts';

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
