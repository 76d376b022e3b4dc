import type { DatabaseRule } from './database-rule.ts';

/** One order, one purchase. */
export const allocationRules: readonly DatabaseRule[] = [
  {
    invariant: 4,
    says: 'an allocated order has one credit, of its grams and its rupees',
    sql: `
      SELECT o.id, o.status, o.grams, o.amount_paise, count(m.id) AS credits,
        sum(m.grams) AS credited, sum(m.invested_paise) AS invested
      FROM gold_order o LEFT JOIN holding_movement m ON m.order_id = o.id AND m.kind = 'CREDIT'
      WHERE o.type <> 'SELL'
      GROUP BY o.id
      HAVING (o.allocated_at IS NULL AND count(m.id) > 0)
        OR (o.status = 'ALLOCATED' AND o.allocated_at IS NULL)
        OR (o.allocated_at IS NOT NULL AND (count(m.id) <> 1 OR sum(m.grams) <> o.grams
          OR sum(m.invested_paise) <> o.amount_paise))`,
  },
  {
    invariant: 4,
    says: 'an order has at most one confirm that was done: exactly one when it is allocated',
    sql: `
      SELECT o.id, o.status, o.allocated_at,
        count(*) FILTER (WHERE c.status = 'DONE') AS done,
        count(*) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN')) AS undecided
      FROM gold_order o LEFT JOIN provider_operation c
        ON c.order_id = o.id AND c.operation = 'buy-confirm'
      WHERE o.type = 'BUY'
      GROUP BY o.id
      HAVING count(*) FILTER (WHERE c.status = 'DONE') > 1
        OR count(*) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN', 'DONE')) > 1
        OR (o.allocated_at IS NOT NULL AND count(*) FILTER (WHERE c.status = 'DONE') <> 1)`,
  },
];
