import type { DatabaseRule } from './database-rule.ts';

/** The rules that each idempotency key has one effect, and that the inbox loses no event. */
export const effectRules: readonly DatabaseRule[] = [
  {
    invariant: 6,
    says: 'every buy has one idempotency key, and every finished key has its buy',
    // Keys are purged after 90 days (contract: limits > Retention).
    sql: `
      SELECT p.id AS payment_order_id, p.order_id, count(k.key) AS keys
      FROM payment_order p JOIN gold_order o ON o.id = p.order_id AND o.type = 'BUY'
      LEFT JOIN idempotency_key k ON k.resource_id = p.id AND k.owner_id = p.user_id
        AND k.operation IN ('gold.buy', 'payments.order')
      WHERE o.created_at > now() - interval '89 days'
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
          WHERE g.gateway = e.gateway AND g.gateway_payment_id = e.gateway_payment_id)
          AND NOT EXISTS (
            SELECT 1 FROM payment_reversal r
            WHERE r.gateway = e.gateway AND r.gateway_payment_id = e.gateway_payment_id)))`,
  },
  {
    invariant: 8,
    says: 'no job has used up its attempts',
    sql: 'SELECT * FROM dead_letter_job',
  },
];

/**
 * The transitions that the contract allows (contract: states > Gold order, buy). They are a copy,
 * so that a mistake in the product's own table is found.
 */
const legalTransitions: Readonly<Record<string, readonly string[]>> = {
  BUY: [
    '>PENDING',
    'PENDING>PAID',
    'PENDING>FAILED',
    'PENDING>MANUAL_REVIEW',
    'FAILED>PAID',
    'FAILED>MANUAL_REVIEW',
    'PAID>ALLOCATED',
    'PAID>RETRY_PENDING',
    'PAID>MANUAL_REVIEW',
    'RETRY_PENDING>PAID',
    'RETRY_PENDING>MANUAL_REVIEW',
    'ALLOCATED>MANUAL_REVIEW',
    'MANUAL_REVIEW>ALLOCATED',
    'MANUAL_REVIEW>FAILED',
    'MANUAL_REVIEW>PAID',
  ],
  SELL: [
    '>PENDING',
    'PENDING>VERIFIED',
    'PENDING>FAILED',
    'VERIFIED>CONFIRMED',
    'VERIFIED>FAILED',
    'CONFIRMED>COMPLETED',
    'COMPLETED>CONFIRMED',
  ],
};

const transitionsOf = (type: string, more: readonly string[] = []): string =>
  [...(legalTransitions[type] ?? []), ...more]
    .map((transition) => `('${type}', '${transition}')`)
    .join(', ');

/** The transitions of installments. A failed installment may become PENDING again for a payment. */
const installmentTransitions = transitionsOf('BUY', ['FAILED>PENDING']).replaceAll(
  "'BUY'",
  "'SIP_INSTALLMENT'",
);

/** The rules that compare the history of orders with the transition table. */
export const historyRules: readonly DatabaseRule[] = [
  {
    invariant: 9,
    says: 'every transition is in the table and has a valid actor',
    sql: `
      WITH legal (type, transition) AS (
        VALUES ${transitionsOf('BUY')}, ${transitionsOf('SELL')}, ${installmentTransitions})
      SELECT o.type, e.* FROM gold_order_event e JOIN gold_order o ON o.id = e.order_id
      WHERE NOT EXISTS (SELECT 1 FROM legal l WHERE l.type = o.type
          AND l.transition = coalesce(e.from_status, '') || '>' || e.to_status)
        OR e.actor !~ '^(worker|janitor|(customer|admin):[0-9a-f-]{36}|(gateway|payout-provider):[a-z]+)$'
        OR e.cause = ''`,
  },
  {
    invariant: 9,
    says: 'the history of a payment order or payout is a chain that ends at its status',
    sql: `
      SELECT * FROM (
        SELECT e.part, e.part_id, e.seq, e.from_status, e.to_status,
          coalesce(p.status, w.status) AS status, lag(e.to_status) OVER chain AS came_to,
          lead(e.seq) OVER chain IS NULL AS is_last
        FROM order_part_event e
        LEFT JOIN payment_order p ON p.id = e.part_id
        LEFT JOIN payout w ON w.id = e.part_id
        WINDOW chain AS (PARTITION BY e.part_id ORDER BY e.seq)) c
      WHERE (came_to IS NOT NULL AND from_status IS DISTINCT FROM came_to)
        OR (is_last AND to_status <> status)`,
  },
  {
    invariant: 9,
    says: "an order's history is a chain without a gap that ends at its status",
    sql: `
      SELECT * FROM (
        SELECT e.order_id, e.seq, e.from_status, e.to_status, o.status,
          lag(e.to_status) OVER chain AS came_to,
          lead(e.seq) OVER chain IS NULL AS is_last
        FROM gold_order_event e JOIN gold_order o ON o.id = e.order_id
        WINDOW chain AS (PARTITION BY e.order_id ORDER BY e.seq)) c
      WHERE from_status IS DISTINCT FROM came_to OR (is_last AND to_status <> status)
      UNION ALL
      SELECT o.id, NULL, NULL, NULL, o.status, NULL, NULL FROM gold_order o
      WHERE NOT EXISTS (SELECT 1 FROM gold_order_event e WHERE e.order_id = o.id)`,
  },
];

const appendOnly = [
  'audit_log',
  'gold_order_event',
  'order_part_event',
  'holding_movement',
  'product_order_event',
  'product_order_line',
  'statutory_parameter',
  'policy_determination',
  'reconciliation_sign_off',
  'month_end_close',
  'month_end_reopening',
];

const appendOnlyRows = appendOnly.map((table) => `('${table}')`).join(', ');

/** The rules on values that records must never have, and on records that must never change. */
export const recordRules: readonly DatabaseRule[] = [
  {
    invariant: 10,
    says: 'no audit row and no event of an order holds a PAN or an Aadhaar in clear',
    sql: `
      SELECT place, id FROM (
        SELECT 'audit_log' AS place, id, concat(before::text, after::text) AS words FROM audit_log
        UNION ALL
        SELECT 'gold_order_event', id, detail::text FROM gold_order_event) AS rows
      WHERE words ~ '\\m[A-Z]{5}[0-9]{4}[A-Z]\\M'
        OR words ~ '(?<![0-9A-Fa-f-])[0-9]{12}(?![0-9A-Fa-f])'`,
  },
  {
    invariant: 11,
    says: "the application's role can't change or delete what is append-only",
    sql: `
      SELECT t.name, p.name AS may FROM (VALUES ${appendOnlyRows}) AS t (name),
        (VALUES ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS p (name)
      WHERE has_table_privilege('dgs_app', t.name, p.name)`,
  },
  {
    invariant: 12,
    says: 'the counts behind the feed of transactions are those of the rows',
    sql: `
      SELECT coalesce(r.user_id, c.user_id) AS user_id, coalesce(r.day, c.day)::text AS day,
        r.count AS rows, c.count AS counted
      FROM transaction_count c FULL JOIN (
        SELECT user_id, (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS count
        FROM (SELECT user_id, created_at FROM gold_order
          UNION ALL SELECT user_id, created_at FROM product_order
          UNION ALL SELECT user_id, created_at FROM payout) t
        GROUP BY 1, 2) r ON r.user_id = c.user_id AND r.day = c.day
      WHERE r.count IS DISTINCT FROM c.count`,
  },
  {
    invariant: 12,
    says: "the counts behind the operators' feed are those of the rows",
    sql: `
      SELECT coalesce(r.day, c.day)::text AS day, coalesce(r.kind, c.kind) AS kind,
        coalesce(r.status, c.status) AS status, r.count AS rows, c.count AS counted
      FROM (
        SELECT day, kind, status, sum(count) AS count FROM (
          SELECT day, kind, status, count FROM transaction_total
          UNION ALL SELECT day, kind, status, change FROM transaction_change) AS t
        GROUP BY 1, 2, 3 HAVING sum(count) <> 0) AS c
      FULL JOIN (
        SELECT (created_at AT TIME ZONE 'UTC')::date AS day, kind, status, count(*) AS count
        FROM (SELECT created_at, transaction_kind(type) AS kind, status FROM gold_order
          UNION ALL SELECT created_at, 'PRODUCT_ORDER', status FROM product_order
          UNION ALL SELECT created_at, 'PAYOUT', status FROM payout) AS t
        GROUP BY 1, 2, 3) AS r ON (r.day, r.kind, r.status) = (c.day, c.kind, c.status)
      WHERE r.count IS DISTINCT FROM c.count`,
  },
  {
    invariant: 12,
    says: "the counts behind the operators' lists of plans and rewards are those of the rows",
    sql: `
      SELECT coalesce(r.day, c.day)::text AS day, coalesce(r.kind, c.kind) AS kind,
        coalesce(r.status, c.status) AS status, r.count AS rows, c.count AS counted
      FROM (
        SELECT day, kind, status, sum(count) AS count FROM (
          SELECT day, kind, status, count FROM list_total
          UNION ALL SELECT day, kind, status, change FROM list_change) AS t
        GROUP BY 1, 2, 3 HAVING sum(count) <> 0) AS c
      FULL JOIN (
        SELECT (created_at AT TIME ZONE 'UTC')::date AS day, kind, status, count(*) AS count
        FROM (SELECT created_at, 'SIP_PLAN' AS kind, status FROM sip_plan
          UNION ALL SELECT created_at, 'REFERRAL_REWARD', status FROM referral_reward) AS t
        GROUP BY 1, 2, 3) AS r ON (r.day, r.kind, r.status) = (c.day, c.kind, c.status)
      WHERE r.count IS DISTINCT FROM c.count`,
  },
  {
    invariant: 12,
    says: 'the running totals are those of the customers and holdings',
    sql: `
      SELECT * FROM (
        SELECT coalesce(sum(users), 0), coalesce(sum(blocked_users), 0), coalesce(sum(holders), 0),
          coalesce(sum(grams), 0), coalesce(sum(reserved), 0), coalesce(sum(invested_paise), 0)
        FROM running_total) AS counted (users, blocked, holders, grams, reserved, invested),
      (SELECT count(*) AS real_users, count(*) FILTER (WHERE blocked) AS real_blocked
        FROM app_user WHERE deleted_at IS NULL) AS u,
      (SELECT count(*) FILTER (WHERE balance > 0) AS real_holders,
          coalesce(sum(balance), 0) AS real_grams, coalesce(sum(reserved), 0) AS real_reserved,
          coalesce(sum(invested_paise), 0) AS real_invested
        FROM holding) AS h
      WHERE (users, blocked, holders, grams, reserved, invested) IS DISTINCT FROM
        (real_users::numeric, real_blocked::numeric, real_holders::numeric, real_grams,
          real_reserved, real_invested)`,
  },
];
