import { sql, type Sql } from '../../platform/db/index.ts';

/*
 * Reconciliation compares tables of several modules, which no module's read model does. So it reads
 * them by its own read-only statements. Each statement starts at an index on a time, for the window,
 * or at an index of open rows, and joins other tables by their keys.
 */

/** Selects the ids of the gold orders that something happened to since `from`. */
export const ordersSince = (from: Date): Sql => sql`
  SELECT e.order_id AS id FROM gold_order_event e WHERE e.at >= ${from}::timestamptz
  UNION
  SELECT c.id FROM gold_order c WHERE c.created_at >= ${from}::timestamptz`;

/** Selects the ids of the payouts that may have changed since `from`, and of all open ones. */
export const payoutsSince = (from: Date): Sql => sql`
  SELECT c.id FROM payout c WHERE c.created_at >= ${from}::timestamptz
  UNION
  SELECT a.payout_id FROM payout_attempt a WHERE a.started_at >= ${from}::timestamptz
  UNION
  SELECT p.id FROM payout p WHERE p.status IN ('PENDING', 'PROCESSING')`;

/** Selects the ids of the customers whose gold orders or holdings changed since `from`. */
export const customersSince = (from: Date): Sql => sql`
  SELECT o.user_id AS id FROM (${ordersSince(from)}) AS recent JOIN gold_order o ON o.id = recent.id
  UNION
  SELECT m.user_id FROM holding_movement m WHERE m.at >= ${from}::timestamptz`;

/** Selects the customers of the window, and those whose holding changed since it was last proven. */
export const customersToProve = (from: Date): Sql => sql`
  SELECT id AS user_id FROM (${customersSince(from)}) AS recent
  UNION
  SELECT user_id FROM unproven_holding`;

/**
 * Sums over orders `o` of one customer: the grams that were allocated less those that were sold.
 * Grams that later went to the house are still included, as they are in the provider's books.
 */
export const boughtLessSold = sql`
  coalesce(sum(o.grams) FILTER (
    WHERE o.type <> 'SELL' AND o.allocated_at IS NOT NULL
      AND (o.status IN ('ALLOCATED', 'MANUAL_REVIEW') OR o.recovered_at IS NOT NULL)), 0)
  - coalesce(sum(o.grams) FILTER (
    WHERE o.type = 'SELL' AND o.status IN ('CONFIRMED', 'COMPLETED')), 0)`;

/** Matches the movements `m` of gold that left a customer for the house without a sale. */
export const isToHouse = sql`m.kind IN ('FORFEITED', 'RECOVERED')`;
