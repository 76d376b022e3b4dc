import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { boughtLessSold, customersSince, isToHouse } from '../window.ts';

/**
 * Finds balances that are not what was allocated less what was sold, by two comparisons:
 *
 * - of every customer, whenever they were last here: the balance is what the newest movement left
 *   (one probe of an index each);
 * - of the customers of the window: it is the sum of all their movements, and of all their
 *   allocated orders less sold ones and what went to the house: forfeited or recovered.
 */
export const holdingBalanceDrift: Check = {
  id: 'holding_balance_drift',
  title: 'A balance that is not what was allocated less what was sold',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        WITH suspect AS (
          SELECT h.user_id FROM holding h
          LEFT JOIN LATERAL (
            SELECT m.balance_after FROM holding_movement m
            WHERE m.user_id = h.user_id ORDER BY m.version DESC LIMIT 1) AS newest ON true
          WHERE h.balance <> coalesce(newest.balance_after, 0)
          UNION
          SELECT id FROM (${customersSince(from)}) AS recent),
        figures AS (
          SELECT h.user_id, h.balance, h.updated_at, moved.grams AS moved,
            moved.to_house + ordered.grams AS ordered, coalesce(newest.balance_after, 0) AS newest
          FROM suspect JOIN holding h ON h.user_id = suspect.user_id
          CROSS JOIN LATERAL (
            SELECT coalesce(sum(m.grams), 0) AS grams,
              coalesce(sum(m.grams) FILTER (WHERE ${isToHouse}), 0) AS to_house
            FROM holding_movement m WHERE m.user_id = h.user_id) AS moved
          CROSS JOIN LATERAL (
            SELECT ${boughtLessSold} AS grams FROM gold_order o WHERE o.user_id = h.user_id
          ) AS ordered
          LEFT JOIN LATERAL (
            SELECT m.balance_after FROM holding_movement m
            WHERE m.user_id = h.user_id ORDER BY m.version DESC LIMIT 1) AS newest ON true)
        SELECT updated_at AS since, user_id AS "userId", trim_scale(balance)::text AS balance,
          trim_scale(ordered)::text AS "allocatedLessSold", trim_scale(moved)::text AS "sumOfMovements",
          trim_scale(newest)::text AS "newestMovementLeft"
        FROM figures
        WHERE balance <> ordered OR balance <> moved OR balance <> newest`,
    ),
};
