import type { DatabaseRule } from './database-rule.ts';

/** What is held, and the movements that made it. */
export const holdingRules: readonly DatabaseRule[] = [
  {
    invariant: 1,
    says: "a holding is the sum of its movements' grams and rupees",
    sql: `
      SELECT h.user_id, h.balance, h.invested_paise, h.version, m.grams, m.invested, m.versions
      FROM holding h
      LEFT JOIN (
        SELECT user_id, sum(grams) AS grams, sum(invested_paise) AS invested,
          count(*) AS versions, max(version) AS newest
        FROM holding_movement GROUP BY user_id) m ON m.user_id = h.user_id
      WHERE h.balance <> coalesce(m.grams, 0) OR h.invested_paise <> coalesce(m.invested, 0)
        OR h.version < coalesce(m.newest, 0)`,
  },
  {
    invariant: 1,
    says: 'each movement carries the balance and the rupees that it left',
    sql: `
      SELECT * FROM (
        SELECT id, user_id, order_id, kind, version, balance_after, invested_after_paise,
          sum(grams) OVER so_far AS balance, sum(invested_paise) OVER so_far AS invested
        FROM holding_movement
        WINDOW so_far AS (PARTITION BY user_id ORDER BY version)) m
      WHERE balance_after <> balance OR invested_after_paise <> invested`,
  },
  {
    invariant: 2,
    says: 'reserved grams are those of sells between PENDING and CONFIRMED, and never too many',
    sql: `
      SELECT h.user_id, h.balance, h.reserved, s.grams FROM holding h
      LEFT JOIN (
        SELECT user_id, sum(grams) AS grams FROM gold_order
        WHERE type = 'SELL' AND status IN ('PENDING', 'VERIFIED') GROUP BY user_id
      ) s ON s.user_id = h.user_id
      WHERE h.reserved <> coalesce(s.grams, 0) OR h.balance - h.reserved < 0`,
  },
];
