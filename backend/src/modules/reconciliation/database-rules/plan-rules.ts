import type { DatabaseRule } from './database-rule.ts';

/** Hold plans to the installments that they raised. */
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
];
