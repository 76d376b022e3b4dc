import type { DatabaseRule } from './database-rule.ts';

/** The rules that compare plans with their installments. */
export const planRules: readonly DatabaseRule[] = [
  {
    invariant: 14,
    says: 'a plan has as many orders of installments as it raised, numbered from 1',
    sql: `
      SELECT p.id, p.status, p.installments_raised, o.orders, o.last_no FROM sip_plan p
      LEFT JOIN (
        SELECT sip_plan_id, count(*) AS orders, max(installment_no) AS last_no
        FROM gold_order WHERE type = 'SIP_INSTALLMENT' GROUP BY sip_plan_id) o
        ON o.sip_plan_id = p.id
      WHERE p.installments_raised <> coalesce(o.orders, 0)
        OR p.installments_raised <> coalesce(o.last_no, 0)`,
  },
  {
    invariant: 14,
    says: 'the debits of a plan are a period apart, and each on the day that it was planned for',
    sql: `
      WITH debit AS (
        SELECT s.id AS plan_id, s.frequency, p.id, p.debit_due_at, p.debit_requested_at,
          lag(p.debit_due_at) OVER (PARTITION BY s.id ORDER BY p.debit_due_at) AS before
        FROM sip_plan s JOIN gold_order o ON o.sip_plan_id = s.id
        JOIN payment_order p ON p.order_id = o.id
        WHERE p.debit_due_at IS NOT NULL AND (p.debit_requested_at IS NOT NULL
          OR p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')))
      SELECT * FROM debit
      WHERE debit_due_at < before + CASE frequency WHEN 'DAILY' THEN interval '1 day'
          WHEN 'WEEKLY' THEN interval '7 days' ELSE interval '28 days' END
        OR (debit_requested_at AT TIME ZONE 'Asia/Kolkata')::date
          <> (debit_due_at AT TIME ZONE 'Asia/Kolkata')::date`,
  },
];
