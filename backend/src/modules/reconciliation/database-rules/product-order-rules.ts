import type { DatabaseRule } from './database-rule.ts';
import { invoiceRules } from './invoice-rules.ts';

/**
 * The transitions that the contract allows (contract: states > Product order). They are a copy, so
 * that a mistake in the product's own table is found.
 */
const legalTransitions = [
  '>PLACED',
  'PLACED>CONFIRMED',
  'PLACED>CANCELLED',
  'CONFIRMED>PACKED',
  'CONFIRMED>CANCELLED',
  'PACKED>SHIPPED',
  'PACKED>CANCELLED',
  'SHIPPED>DELIVERED',
  'DELIVERED>RETURNED',
]
  .map((transition) => `'${transition}'`)
  .join(', ');

/**
 * The rules that compare product orders with their lines, history and cash. Constraints of the
 * tables already ensure that the totals of one row add up, so these rules compare several rows.
 */
export const productOrderRules: readonly DatabaseRule[] = [
  {
    invariant: 13,
    says: 'the figures of a product order are the sums of its lines, numbered from 1',
    sql: `
      SELECT o.id, o.items_total_paise, o.gst_paise, l.items, l.gst, l.lines FROM product_order o
      LEFT JOIN (
        SELECT order_id, sum(unit_price_paise * quantity) AS items, sum(gst_paise) AS gst,
          count(*) AS lines, max(line_no) AS last_no
        FROM product_order_line GROUP BY order_id) l ON l.order_id = o.id
      WHERE l.items IS DISTINCT FROM o.items_total_paise OR l.gst IS DISTINCT FROM o.gst_paise
        OR l.lines IS DISTINCT FROM l.last_no`,
  },
  {
    invariant: 13,
    says: "the GST of a product order's line is half-up over the line at the order's rate",
    sql: `
      SELECT l.id, l.order_id, l.gst_paise, o.gst_rate_bps
      FROM product_order_line l JOIN product_order o ON o.id = l.order_id
      WHERE l.gst_paise <> round(l.unit_price_paise::numeric * l.quantity * o.gst_rate_bps / 10000)`,
  },
  {
    invariant: 13,
    says: 'every transition of a product order is in the table and has a valid actor',
    sql: `
      SELECT e.* FROM product_order_event e
      WHERE coalesce(e.from_status, '') || '>' || e.to_status NOT IN (${legalTransitions})
        OR e.actor !~ '^(customer|admin):[0-9a-f-]{36}$' OR e.cause = ''`,
  },
  {
    invariant: 13,
    says: "a product order's history is a chain without a gap that ends at its status",
    sql: `
      SELECT * FROM (
        SELECT e.order_id, e.seq, e.from_status, e.to_status, o.status,
          lag(e.to_status) OVER chain AS came_to,
          lead(e.seq) OVER chain IS NULL AS is_last
        FROM product_order_event e JOIN product_order o ON o.id = e.order_id
        WINDOW chain AS (PARTITION BY e.order_id ORDER BY e.seq)) c
      WHERE from_status IS DISTINCT FROM came_to OR (is_last AND to_status <> status)
      UNION ALL
      SELECT o.id, NULL, NULL, NULL, o.status, NULL, NULL FROM product_order o
      WHERE NOT EXISTS (SELECT 1 FROM product_order_event e WHERE e.order_id = o.id)`,
  },
  {
    invariant: 13,
    says: 'the cash of a product order is the sum of its receipts',
    sql: `
      SELECT o.id, o.cash_received_paise, c.received FROM product_order o
      LEFT JOIN (
        SELECT order_id, sum(amount_paise) AS received FROM product_order_cash GROUP BY order_id) c
        ON c.order_id = o.id
      WHERE o.cash_received_paise <> coalesce(c.received, 0)`,
  },
  ...invoiceRules,
];
