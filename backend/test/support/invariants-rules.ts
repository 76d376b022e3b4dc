/** What must hold in the database at any moment; `sql` answers the rows for which it does not. */
export interface DatabaseRule {
  /** Its number in architecture, section 4. */
  readonly invariant: number;
  readonly says: string;
  readonly sql: string;
}

/**
 * The moves that decisions, section 3, allows; written down once more, so that a mistake in the
 * product's own table is not checked with that mistake.
 */
const legalMoves: Readonly<Record<string, readonly string[]>> = {
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
    'MANUAL_REVIEW>RETRY_PENDING',
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

const movesOf = (type: string, more: readonly string[] = []): string =>
  [...(legalMoves[type] ?? []), ...more].map((move) => `('${type}', '${move}')`).join(', ');

/** An installment that failed may be put back to be paid (decisions, section 4, SIP). */
const installmentMoves = movesOf('BUY', ['FAILED>PENDING']).replaceAll(
  "'BUY'",
  "'SIP_INSTALLMENT'",
);

const capturedMoney = `
  SELECT o.id, o.type, o.status, o.amount_paise, o.manual_review_code, o.allocated_at,
    p.id AS payment_order_id, p.status AS payment_order_status, p.captured_payment_id,
    p.amount_paise AS asked_paise, p.currency AS asked_currency,
    g.id AS payment_id, g.gateway_payment_id, g.standing, g.amount_paise AS captured_paise,
    g.currency
  FROM gateway_payment g
  JOIN payment_order p ON p.id = g.payment_order_id
  JOIN gold_order o ON o.id = p.order_id
  WHERE g.status = 'CAPTURED'`;

const holdings: readonly DatabaseRule[] = [
  {
    invariant: 1,
    says: "a holding is the sum of its movements' grams and rupees",
    sql: `
      SELECT h.user_id, h.balance, h.invested_paise, h.version, m.grams, m.invested, m.versions
      FROM holding h
      LEFT JOIN (
        SELECT user_id, sum(grams) AS grams, sum(invested_paise) AS invested,
          count(*) AS versions, max(version) AS newest
        FROM holding_movement GROUP BY user_id) m ON m.user_id = h.user_id
      WHERE h.balance <> coalesce(m.grams, 0) OR h.invested_paise <> coalesce(m.invested, 0)
        OR h.version < coalesce(m.newest, 0)`,
  },
  {
    invariant: 1,
    says: 'each movement carries the balance and the rupees that it left',
    sql: `
      SELECT * FROM (
        SELECT id, user_id, order_id, kind, version, balance_after, invested_after_paise,
          sum(grams) OVER so_far AS balance, sum(invested_paise) OVER so_far AS invested
        FROM holding_movement
        WINDOW so_far AS (PARTITION BY user_id ORDER BY version)) m
      WHERE balance_after <> balance OR invested_after_paise <> invested`,
  },
  {
    invariant: 2,
    says: 'reserved grams are those of sells between PENDING and CONFIRMED, and never too many',
    sql: `
      SELECT h.user_id, h.balance, h.reserved, s.grams FROM holding h
      LEFT JOIN (
        SELECT user_id, sum(grams) AS grams FROM gold_order
        WHERE type = 'SELL' AND status IN ('PENDING', 'VERIFIED') GROUP BY user_id
      ) s ON s.user_id = h.user_id
      WHERE h.reserved <> coalesce(s.grams, 0) OR h.balance - h.reserved < 0`,
  },
];

const money: readonly DatabaseRule[] = [
  {
    invariant: 3,
    says: 'the money that bought gold, or waits to, is the asked amount in the asked currency',
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
    says: 'a captured payment has a place, and a failed one has none',
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
        OR o.allocated_at IS NOT NULL)
      GROUP BY o.id HAVING count(m.payment_id) <> 1`,
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
        OR q.grams <> o.grams OR q.provider_tx_id <> o.provider_tx_id)`,
  },
  {
    invariant: 7,
    says: 'no order reads FAILED, or unpaid, while its money is held',
    sql: `SELECT * FROM (${capturedMoney}) m WHERE status IN ('FAILED', 'PENDING')`,
  },
  {
    invariant: 7,
    says: 'an order and its payment order tell one story',
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
          AND NOT (o.manual_review_code = 'SECOND_CAPTURE' AND p.status = 'MANUAL_REVIEW')
        ELSE p.status <> 'PAID' END`,
  },
];

const allocations: readonly DatabaseRule[] = [
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
  {
    invariant: 5,
    says: 'a confirmed sell has one payout of the same amount, and only a confirmed one',
    sql: `
      SELECT o.id, o.status, o.proceeds_paise, p.id AS payout_id, p.amount_paise
      FROM gold_order o LEFT JOIN payout p ON p.order_id = o.id
      WHERE o.type = 'SELL' AND ((o.status IN ('CONFIRMED', 'COMPLETED')
          AND p.amount_paise IS DISTINCT FROM o.proceeds_paise)
        OR (o.status NOT IN ('CONFIRMED', 'COMPLETED') AND p.id IS NOT NULL))`,
  },
];

const effects: readonly DatabaseRule[] = [
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
  {
    invariant: 9,
    says: 'every move is one of the table, by an actor that has a name',
    sql: `
      WITH legal (type, move) AS (
        VALUES ${movesOf('BUY')}, ${movesOf('SELL')}, ${installmentMoves})
      SELECT o.type, e.* FROM gold_order_event e JOIN gold_order o ON o.id = e.order_id
      WHERE NOT EXISTS (SELECT 1 FROM legal l WHERE l.type = o.type
          AND l.move = coalesce(e.from_status, '') || '>' || e.to_status)
        OR e.actor !~ '^(worker|janitor|(customer|admin):[0-9a-f-]{36}|gateway:[a-z]+)$'
        OR e.cause = ''`,
  },
  {
    invariant: 9,
    says: "an order's history is a chain without a gap that ends where the order is",
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

export const databaseRules: readonly DatabaseRule[] = [
  ...holdings,
  ...money,
  ...allocations,
  ...effects,
];
