import type { DatabaseRule } from './database-rule.ts';

const capturedMoney = `
  SELECT o.id, o.type, o.status, o.amount_paise, o.manual_review_code, o.allocated_at,
    p.id AS payment_order_id, p.status AS payment_order_status, p.captured_payment_id,
    p.amount_paise AS asked_paise, p.currency AS asked_currency,
    g.id AS payment_id, g.gateway, g.gateway_payment_id, g.standing, g.amount_paise AS captured_paise,
    g.currency
  FROM gateway_payment g
  JOIN payment_order p ON p.id = g.payment_order_id
  JOIN gold_order o ON o.id = p.order_id
  WHERE g.status = 'CAPTURED'`;

/** The rules that every captured rupee is in exactly one place. */
export const moneyRules: readonly DatabaseRule[] = [
  {
    invariant: 3,
    says: 'money that bought gold, or will buy it, has the requested amount and currency',
    sql: `
      SELECT * FROM (${capturedMoney}) m WHERE standing = 'APPLIED' AND (
        captured_paise <> amount_paise OR asked_paise <> amount_paise OR currency <> 'INR'
        OR payment_order_status <> 'PAID' OR captured_payment_id <> payment_id
        OR status NOT IN ('PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW'))`,
  },
  {
    invariant: 3,
    says: 'money that fits no order (second, late, other amount) is under review',
    sql: `
      SELECT * FROM (${capturedMoney}) m
      WHERE standing IN ('SECOND', 'LATE', 'MISMATCH') AND status <> 'MANUAL_REVIEW'`,
  },
  {
    invariant: 3,
    says: 'a captured payment has a disposition, and a failed payment has none',
    sql: `
      SELECT id, gateway_payment_id, status, standing, amount_paise FROM gateway_payment
      WHERE (status = 'CAPTURED' AND (standing IN ('NONE', 'REFUNDED')
          OR (payment_order_id IS NULL) <> (standing = 'UNMATCHED')))
        OR (status = 'FAILED' AND standing NOT IN ('NONE', 'UNMATCHED'))`,
  },
  {
    invariant: 3,
    says: 'an order that has its money has it from exactly one payment',
    sql: `
      SELECT o.id, o.status, o.allocated_at, count(m.payment_id) AS payments
      FROM gold_order o LEFT JOIN (${capturedMoney}) m ON m.id = o.id AND m.standing = 'APPLIED'
      WHERE o.type <> 'SELL' AND (o.status IN ('PAID', 'RETRY_PENDING', 'ALLOCATED')
        OR (o.allocated_at IS NOT NULL AND o.recovered_at IS NULL))
      GROUP BY o.id HAVING count(m.payment_id) <> 1`,
  },
  {
    invariant: 3,
    says: 'an order whose money was reversed is under review until an operator resolves it',
    sql: `
      SELECT m.*, r.kind, r.reference, r.amount_paise AS reversed_paise FROM (${capturedMoney}) m
      JOIN payment_reversal r ON r.gateway = m.gateway
        AND r.gateway_payment_id = m.gateway_payment_id
      WHERE r.resolved_at IS NULL AND m.status <> 'MANUAL_REVIEW'`,
  },
  {
    invariant: 3,
    says: 'an order whose captured payment failed is under review until an operator resolves it',
    sql: `
      SELECT m.*, f.failed_after_capture_at FROM (${capturedMoney}) m
      JOIN gateway_payment f ON f.id = m.payment_id
      WHERE f.failed_after_capture_at IS NOT NULL AND f.failure_resolved_at IS NULL
        AND m.status <> 'MANUAL_REVIEW'`,
  },
  {
    invariant: 3,
    says: 'reversals and failures of a payment that was refunded here are resolved',
    sql: `
      SELECT r.id, r.gateway_payment_id, r.kind FROM payment_reversal r
      JOIN gateway_payment g USING (gateway, gateway_payment_id)
      WHERE r.resolved_at IS NULL AND g.status = 'REFUNDED'
      UNION ALL
      SELECT id, gateway_payment_id, 'FAILURE' FROM gateway_payment
      WHERE status = 'REFUNDED' AND failed_after_capture_at IS NOT NULL
        AND failure_resolved_at IS NULL`,
  },
  {
    invariant: 3,
    says: 'money of an unknown order is refunded only by an operator, whom the audit log names',
    sql: `
      SELECT g.id, g.gateway_payment_id, g.amount_paise, g.refund_reference FROM gateway_payment g
      WHERE g.payment_order_id IS NULL AND g.status = 'REFUNDED' AND (
        g.refund_reference IS NULL OR NOT EXISTS (
          SELECT FROM audit_log a WHERE a.action = 'payment.refunded'
            AND a.target_type = 'gateway_payment' AND a.target_id = g.id::text))`,
  },
  {
    invariant: 3,
    says: 'a paid reward was approved, and earned by a buy that was not reversed',
    sql: `
      SELECT w.id, w.status, w.order_id, w.paid_at FROM referral_reward w
      WHERE w.status = 'PAID' AND (
        w.earned_at IS NULL OR w.approved_at IS NULL OR w.approved_at > w.paid_at
        OR EXISTS (
          SELECT FROM payment_order p
          JOIN gateway_payment g ON g.payment_order_id = p.id AND g.standing = 'APPLIED'
          JOIN payment_reversal r ON r.gateway = g.gateway
            AND r.gateway_payment_id = g.gateway_payment_id
          -- A reversal that arrived during the payment waited for the order's lock.
          WHERE p.order_id = w.order_id AND r.learned_at < w.paid_at - interval '5 minutes'))`,
  },
  {
    invariant: 3,
    says: "a buy's rupees are gold, tax and rounding, to the paisa, as quoted",
    sql: `
      SELECT o.id, o.amount_paise, o.gold_value_paise, o.gst_paise, o.rounding_paise, o.grams,
        o.price_per_gram_paise, q.total_paise, p.amount_paise AS asked_paise
      FROM gold_order o
      JOIN gold_quote q ON q.id = o.quote_id
      JOIN payment_order p ON p.order_id = o.id
      WHERE o.type = 'BUY' AND (
        o.amount_paise <> o.gold_value_paise + o.gst_paise
        OR o.gold_value_paise <> round(o.grams * o.price_per_gram_paise) + o.rounding_paise
        OR q.total_paise <> o.amount_paise OR p.amount_paise <> o.amount_paise
        OR q.grams <> o.grams
        -- An operator's allocation has a new provider transaction and a price difference.
        OR (q.provider_tx_id <> o.provider_tx_id) <> (o.price_difference_paise IS NOT NULL))`,
  },
  {
    invariant: 3,
    says: "an installment's whole amount is requested, and is gold, tax and rounding once bought",
    sql: `
      SELECT o.id, o.status, o.amount_paise, o.gold_value_paise, o.gst_paise, o.rounding_paise,
        o.grams, o.price_per_gram_paise, p.id AS payment_order_id, p.amount_paise AS asked_paise
      FROM gold_order o LEFT JOIN payment_order p ON p.order_id = o.id
      WHERE o.type = 'SIP_INSTALLMENT' AND (
        CASE WHEN p.id IS NULL THEN o.status NOT IN ('PENDING', 'FAILED')
          ELSE p.amount_paise <> o.amount_paise END
        OR o.quote_id IS NOT NULL OR (o.allocated_at IS NOT NULL AND (
          o.amount_paise IS DISTINCT FROM o.gold_value_paise + o.gst_paise
          OR o.gold_value_paise
            IS DISTINCT FROM round(o.grams * o.price_per_gram_paise) + o.rounding_paise)))`,
  },
  {
    invariant: 7,
    says: 'no order is FAILED or unpaid while its money is held',
    sql: `SELECT * FROM (${capturedMoney}) m WHERE status IN ('FAILED', 'PENDING')`,
  },
  {
    invariant: 7,
    says: 'the states of an order and its payment order agree',
    sql: `
      SELECT o.id, o.status, o.manual_review_code, p.id AS payment_order_id,
        p.status AS payment_order_status
      FROM gold_order o JOIN payment_order p ON p.order_id = o.id
      WHERE o.type = 'BUY' AND CASE o.status
        WHEN 'PENDING' THEN p.status NOT IN ('CREATED', 'GATEWAY_ORDER_CREATED')
        WHEN 'FAILED' THEN p.status NOT IN ('FAILED', 'EXPIRED', 'REFUNDED')
        WHEN 'MANUAL_REVIEW' THEN p.status <> CASE
          WHEN o.manual_review_code IN ('AMOUNT_MISMATCH', 'CURRENCY_MISMATCH')
          THEN 'MANUAL_REVIEW' ELSE 'PAID' END
          AND NOT (o.manual_review_code = 'SECOND_CAPTURE'
            AND p.status IN ('MANUAL_REVIEW', 'REFUNDED'))
        ELSE p.status <> 'PAID' END`,
  },
  {
    invariant: 7,
    says: 'the states of an installment and its payment orders agree',
    sql: `
      SELECT o.id, o.status, o.manual_review_code, p.open, p.held, p.paid_back
      FROM gold_order o
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status IN ('CREATED', 'GATEWAY_ORDER_CREATED')) AS open,
          count(*) FILTER (WHERE status IN ('PAID', 'MANUAL_REVIEW')) AS held,
          count(*) FILTER (WHERE status = 'REFUNDED') AS paid_back
        FROM payment_order WHERE order_id = o.id) AS p
      WHERE o.type = 'SIP_INSTALLMENT' AND CASE
        -- If its mandate did not pay, there is no payment order until the customer pays.
        WHEN o.status = 'PENDING' THEN p.open > 1 OR p.held > 0 OR (p.open = 0 AND NOT EXISTS (
          SELECT FROM sip_plan s WHERE s.id = o.sip_plan_id AND s.mandate_gateway IS NOT NULL))
        WHEN o.status = 'FAILED' THEN p.open > 0 OR p.held > 0
        -- A second capture may be under review after the first payment was refunded.
        ELSE p.open > 0 OR (p.held = 0
          AND NOT (o.manual_review_code = 'SECOND_CAPTURE' AND p.paid_back > 0)) END`,
  },
];
