import type { DatabaseRule } from './database-rule.ts';

/**
 * The rules that compare the invoices and credit notes of jewellery with the orders, and check
 * their numbers.
 */
export const invoiceRules: readonly DatabaseRule[] = [
  {
    invariant: 13,
    says: 'a shipped order has one invoice, a returned order one credit note, and no other has any',
    sql: `
      SELECT order_id, e.kind AS expected, i.kind AS found, i.number FROM (
        SELECT order_id, at, CASE to_status WHEN 'SHIPPED' THEN 'INVOICE' ELSE 'CREDIT_NOTE' END
          AS kind
        FROM product_order_event WHERE to_status IN ('SHIPPED', 'RETURNED')) e
      FULL JOIN product_invoice i USING (order_id, kind)
      WHERE e.at IS NULL OR i.id IS NULL OR i.issued_at <> e.at`,
  },
  {
    invariant: 13,
    says: 'an invoice and a credit note have the figures of their order',
    sql: `
      SELECT i.number, i.order_id FROM product_invoice i JOIN product_order o ON o.id = i.order_id
      WHERE (i.items_total_paise, i.gst_paise, i.gst_rate_bps, i.delivery_fee_paise, i.total_paise)
        IS DISTINCT FROM
        (o.items_total_paise, o.gst_paise, o.gst_rate_bps, o.delivery_fee_paise, o.total_paise)`,
  },
  {
    invariant: 13,
    says: 'invoices and credit notes of a financial year are numbered from 1 without a gap',
    sql: `
      SELECT kind, financial_year, s.last_serial, i.documents, i.highest
      FROM product_invoice_series s
      FULL JOIN (
        SELECT kind, financial_year, count(*) AS documents, max(serial) AS highest
        FROM product_invoice GROUP BY kind, financial_year) i USING (kind, financial_year)
      WHERE s.last_serial IS DISTINCT FROM i.highest OR i.documents IS DISTINCT FROM i.highest`,
  },
  {
    invariant: 13,
    says: 'a document belongs to the financial year of its day in India',
    sql: `
      SELECT number, issued_at FROM product_invoice
      WHERE financial_year <> extract(
        year FROM issued_at AT TIME ZONE 'UTC' + interval '330 minutes' - interval '3 months')`,
  },
  {
    invariant: 13,
    says: 'the moments of a product order are those of its history',
    sql: `
      SELECT o.id, o.shipped_at, o.delivered_at, o.returned_at FROM product_order o
      LEFT JOIN (
        SELECT order_id, max(at) FILTER (WHERE to_status = 'SHIPPED') AS shipped_at,
          max(at) FILTER (WHERE to_status = 'DELIVERED') AS delivered_at,
          max(at) FILTER (WHERE to_status = 'RETURNED') AS returned_at
        FROM product_order_event GROUP BY order_id) e ON e.order_id = o.id
      WHERE (o.shipped_at, o.delivered_at, o.returned_at)
        IS DISTINCT FROM (e.shipped_at, e.delivered_at, e.returned_at)`,
  },
];
