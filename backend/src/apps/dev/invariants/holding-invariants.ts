import type { Invariant } from './invariant.ts';

/** What is held, and the movements that made it (architecture, section 4: 1, 2). */
export const holdingInvariants: readonly Invariant[] = [
  {
    name: "a holding's balance and invested are the sums of its movements",
    sql: `
      SELECT format('holding of %s: %s g and %s paise, its movements %s g and %s paise',
        h.user_id, h.balance, h.invested_paise, coalesce(sum(m.grams), 0),
        coalesce(sum(m.invested_paise), 0)) AS breach
      FROM holding h LEFT JOIN holding_movement m ON m.user_id = h.user_id
      GROUP BY h.user_id
      HAVING h.balance <> coalesce(sum(m.grams), 0)
        OR h.invested_paise <> coalesce(sum(m.invested_paise), 0)`,
  },
  {
    name: 'every movement says what was held after it',
    sql: `
      SELECT format('movement %s: %s g and %s paise after it, should be %s and %s',
        id, balance_after, invested_after_paise, grams_so_far, invested_so_far) AS breach
      FROM (
        SELECT m.*, sum(grams) OVER so_far AS grams_so_far,
          sum(invested_paise) OVER so_far AS invested_so_far
        FROM holding_movement m
        WINDOW so_far AS (PARTITION BY user_id ORDER BY version)) AS running
      WHERE balance_after <> grams_so_far OR invested_after_paise <> invested_so_far`,
  },
  {
    name: 'reserved is the grams of sells in progress, and never more than the balance',
    sql: `
      SELECT format('holding of %s: %s g of %s reserved, its open sells have %s g',
        h.user_id, h.reserved, h.balance, coalesce(sum(o.grams), 0)) AS breach
      FROM holding h LEFT JOIN gold_order o
        ON o.user_id = h.user_id AND o.type = 'SELL' AND o.status IN ('PENDING', 'VERIFIED')
      GROUP BY h.user_id
      HAVING h.reserved <> coalesce(sum(o.grams), 0) OR h.reserved > h.balance`,
  },
  {
    name: 'an allocated order has one credit, of its grams and its money',
    sql: `
      SELECT format('order %s of %s g: credits %s', o.id, o.grams,
        coalesce(string_agg(m.grams || ' g for ' || m.invested_paise, ', '), 'none')) AS breach
      FROM gold_order o
      LEFT JOIN holding_movement m ON m.order_id = o.id AND m.kind = 'CREDIT'
      WHERE o.status = 'ALLOCATED'
      GROUP BY o.id
      HAVING count(m.id) <> 1 OR sum(m.grams) <> o.grams
        OR sum(m.invested_paise) <> o.amount_paise`,
  },
  {
    name: 'a credit belongs to an order of the same customer that has its gold',
    sql: `
      SELECT format('movement %s: order %s is %s', m.id, o.id, o.status) AS breach
      FROM holding_movement m JOIN gold_order o ON o.id = m.order_id
      WHERE m.kind = 'CREDIT'
        AND (o.user_id <> m.user_id OR o.allocated_at IS NULL
          OR o.status NOT IN ('ALLOCATED', 'MANUAL_REVIEW'))`,
  },
  {
    name: 'a debit belongs to a confirmed sell of the same customer and grams',
    sql: `
      SELECT format('movement %s: order %s is %s of %s g', m.id, o.id, o.status, o.grams) AS breach
      FROM holding_movement m JOIN gold_order o ON o.id = m.order_id
      WHERE m.kind = 'DEBIT'
        AND (o.user_id <> m.user_id OR o.type <> 'SELL' OR o.grams <> -m.grams
          OR o.status NOT IN ('CONFIRMED', 'COMPLETED'))`,
  },
];
