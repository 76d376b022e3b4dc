import { isBought, isSold } from './order-rows.ts';
import type { SqlTerms } from './series.ts';

/*
 * A sale takes its part of what was invested before it, rounded, so that each movement of a
 * customer follows from the one before: they are worked out one after the other.
 */
const makeMovements = `
  CREATE FUNCTION pg_temp.fill_movements() RETURNS TABLE (
    at_number int, customer int, order_id uuid, of_user uuid, moved numeric, paid bigint,
    balance numeric, invested bigint, version bigint, moved_at timestamptz)
  LANGUAGE plpgsql AS $$
  DECLARE trade record; owner int := -1;
  BEGIN
    FOR trade IN
      SELECT n, u, id, user_id, grams, amount, is_sale,
        at + CASE WHEN is_sale THEN 2 ELSE 62 END * interval '1 second' AS done_at
      FROM fill_order o WHERE ${isBought} OR ${isSold} ORDER BY u, n
    LOOP
      IF trade.u <> owner THEN
        owner := trade.u; balance := 0; invested := 0; version := 0;
      END IF;
      IF trade.is_sale THEN
        moved := -trade.grams;
        paid := -div(2 * invested * trade.grams + balance, 2 * balance);
      ELSE
        moved := trade.grams;
        paid := trade.amount;
      END IF;
      balance := balance + moved; invested := invested + paid; version := version + 1;
      at_number := trade.n; customer := trade.u; order_id := trade.id; of_user := trade.user_id;
      moved_at := trade.done_at;
      RETURN NEXT;
    END LOOP;
  END $$`;

/** Returns the statements that write the movements of gold and the holdings that they make. */
export const holdingStatements = (terms: SqlTerms): readonly string[] => [
  makeMovements,
  `CREATE TEMPORARY TABLE fill_movement ON COMMIT DROP AS SELECT * FROM pg_temp.fill_movements()`,
  `INSERT INTO holding (user_id, balance, reserved, invested_paise, version, created_at, updated_at)
   SELECT DISTINCT ON (m.customer) m.of_user, m.balance, 0, m.invested, m.version, u.at, m.moved_at
   FROM fill_movement m JOIN fill_user u ON u.u = m.customer
   ORDER BY m.customer, m.version DESC`,
  `INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise, balance_after,
     invested_after_paise, version, at)
   SELECT ${terms.id('movement', 'at_number')}, of_user, order_id,
     CASE WHEN moved < 0 THEN 'DEBIT' ELSE 'CREDIT' END, moved, paid, balance, invested, version,
     moved_at
   FROM fill_movement ORDER BY at_number`,
  'DROP FUNCTION pg_temp.fill_movements()',
  // Counts in one statement, since the triggers of single rows are off.
  `INSERT INTO running_total AS total (shard, users, blocked_users, holders, grams, invested_paise)
   SELECT 0, u.users, u.blocked, h.holders, h.grams, h.invested
   FROM (
     SELECT count(*) AS users, count(*) FILTER (WHERE u % 100 = 37) AS blocked
     FROM fill_user WHERE kind <> 'deleted') AS u,
   (SELECT count(*) FILTER (WHERE balance > 0) AS holders, coalesce(sum(balance), 0) AS grams,
      coalesce(sum(invested_paise), 0)::bigint AS invested
    FROM holding JOIN fill_user ON fill_user.id = holding.user_id) AS h
   ON CONFLICT (shard) DO UPDATE SET users = total.users + excluded.users,
     blocked_users = total.blocked_users + excluded.blocked_users,
     holders = total.holders + excluded.holders, grams = total.grams + excluded.grams,
     invested_paise = total.invested_paise + excluded.invested_paise`,
];
