import type { DatabaseRule } from './database-rule.ts';

/** One key, one effect; and nothing accepted is dropped. */
export const effectRules: readonly DatabaseRule[] = [
  {
    invariant: 6,
    says: 'every buy came of one idempotency key, and every finished key made something',
    sql: `
      SELECT p.id AS payment_order_id, p.order_id, count(k.key) AS keys
      FROM payment_order p JOIN gold_order o ON o.id = p.order_id AND o.type = 'BUY'
      LEFT JOIN idempotency_key k ON k.resource_id = p.id AND k.owner_id = p.user_id
        AND k.operation IN ('gold.buy', 'payments.order')
      GROUP BY p.id HAVING count(k.key) <> 1
      UNION ALL
      SELECT NULL, k.resource_id, count(*) FROM idempotency_key k
      WHERE k.operation IN ('gold.buy', 'payments.order') AND k.resource_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM payment_order p WHERE p.id = k.resource_id)
      GROUP BY k.resource_id`,
  },
  {
    invariant: 6,
    says: 'a quote is used up by exactly one order',
    sql: `
      SELECT q.id, q.status, q.consumed_at, o.id AS order_id FROM gold_quote q
      LEFT JOIN gold_order o ON o.quote_id = q.id
      WHERE (q.status = 'CONSUMED') <> (o.id IS NOT NULL)`,
  },
  {
    invariant: 8,
    says: 'an event in the inbox is applied, or waits and will be tried again',
    sql: `
      SELECT e.id, e.event_type, e.status, e.subject, e.attempts, e.next_attempt_at, e.last_error
      FROM webhook_event e
      WHERE e.source = 'payment' AND (
        (e.status = 'PENDING' AND (e.next_attempt_at IS NULL OR e.sealed_body IS NULL))
        OR (e.status = 'APPLIED' AND NOT EXISTS (
          SELECT 1 FROM gateway_payment g
          WHERE g.gateway = e.gateway AND g.gateway_payment_id = e.gateway_payment_id)))`,
  },
  {
    invariant: 8,
    says: 'no job has used up its attempts',
    sql: 'SELECT * FROM dead_letter_job',
  },
];
