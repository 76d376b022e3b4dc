import type { DatabaseRule } from './database-rule.ts';

/** The rules that compare each holding with its movements. */
export const holdingRules: readonly DatabaseRule[] = [
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
    says: 'each movement has the balance and the invested rupees after it',
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
    says: 'reserved grams are those of open sales and open reviews, and never exceed the balance',
    sql: `
      SELECT h.user_id, h.balance, h.reserved, s.grams FROM holding h
      LEFT JOIN (
        SELECT user_id, sum(grams) AS grams FROM (
          SELECT user_id, grams FROM gold_order
          WHERE type = 'SELL' AND status IN ('PENDING', 'VERIFIED')
          UNION ALL
          SELECT user_id, grams FROM holding_reservation WHERE ended_at IS NULL) held
        GROUP BY user_id
      ) s ON s.user_id = h.user_id
      WHERE h.reserved <> coalesce(s.grams, 0) OR h.balance - h.reserved < 0`,
  },
  {
    invariant: 2,
    says: "a review's reservation is of an order under review that has its gold",
    sql: `
      SELECT r.id, r.wanted, r.grams, o.id AS order_id, o.status, o.grams AS ordered
      FROM holding_reservation r JOIN gold_order o ON o.id = r.order_id
      WHERE r.user_id <> o.user_id OR (r.ended_at IS NULL AND (o.status <> 'MANUAL_REVIEW'
        OR o.allocated_at IS NULL OR o.recovered_at IS NOT NULL OR r.wanted <> o.grams))`,
  },
];

/** The rules that each order has one purchase at the provider. */
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
    says: 'an order has at most one successful confirm, and exactly one once it is allocated',
    sql: `
      SELECT o.id, o.status, o.allocated_at,
        count(*) FILTER (WHERE c.status = 'DONE') AS done,
        count(*) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN')) AS undecided
      FROM gold_order o LEFT JOIN provider_operation c
        ON c.order_id = o.id AND c.operation = 'buy-confirm'
      WHERE o.type <> 'SELL'
      GROUP BY o.id
      HAVING count(*) FILTER (WHERE c.status = 'DONE') > 1
        OR count(*) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN', 'DONE')) > 1
        OR (o.allocated_at IS NOT NULL AND count(*) FILTER (WHERE c.status = 'DONE') <> 1)`,
  },
];

/**
 * The rules that compare gold recovered for the house with the order whose payment was reversed.
 */
export const recoveryRules: readonly DatabaseRule[] = [
  {
    invariant: 1,
    says: 'recovered grams are at most those of their order, which is marked and has no money',
    sql: `
      SELECT o.id, o.status, o.grams, o.recovered_at, m.grams AS recovered, g.id AS payment_id
      FROM gold_order o
      LEFT JOIN holding_movement m ON m.order_id = o.id AND m.kind = 'RECOVERED'
      LEFT JOIN payment_order p ON p.order_id = o.id
      LEFT JOIN gateway_payment g ON g.payment_order_id = p.id
        AND g.status = 'CAPTURED' AND g.standing = 'APPLIED'
      WHERE (m.id IS NOT NULL AND (o.recovered_at IS NULL OR -m.grams > o.grams
          OR m.user_id <> o.user_id))
        OR (o.recovered_at IS NOT NULL
          AND (g.id IS NOT NULL OR o.status NOT IN ('FAILED', 'MANUAL_REVIEW')))`,
  },
];

/** The rules that each sell order has one sale at the provider and one payout. */
export const sellRules: readonly DatabaseRule[] = [
  {
    invariant: 1,
    says: 'a confirmed sale, and no other, has one debit of its grams, and the time of the debit',
    sql: `
      SELECT o.id, o.status, o.grams, count(m.id) AS debits, sum(m.grams) AS debited
      FROM gold_order o LEFT JOIN holding_movement m ON m.order_id = o.id AND m.kind = 'DEBIT'
      WHERE o.type = 'SELL'
      GROUP BY o.id
      HAVING CASE WHEN o.status IN ('CONFIRMED', 'COMPLETED')
        THEN count(m.id) <> 1 OR sum(m.grams) <> -o.grams ELSE count(m.id) > 0 END
        OR o.confirmed_at IS DISTINCT FROM max(m.at)`,
  },
  {
    invariant: 1,
    says: 'a sale takes gold, and credits none',
    sql: `
      SELECT o.id, o.status, o.grams, m.id AS movement_id, m.grams AS credited
      FROM gold_order o JOIN holding_movement m ON m.order_id = o.id AND m.kind = 'CREDIT'
      WHERE o.type = 'SELL'`,
  },
  {
    invariant: 3,
    says: "a sale's rupees are its grams at its quote's price, with nothing withheld",
    sql: `
      SELECT o.id, o.grams, o.price_per_gram_paise, o.amount_paise, o.proceeds_paise,
        o.withheld_paise, q.proceeds_paise AS quoted_paise
      FROM gold_order o JOIN gold_quote q ON q.id = o.quote_id
      WHERE o.type = 'SELL' AND (o.proceeds_paise <> round(o.grams * o.price_per_gram_paise)
        OR o.amount_paise <> o.proceeds_paise OR o.withheld_paise <> 0
        OR q.proceeds_paise <> o.proceeds_paise OR q.grams <> o.grams)`,
  },
  {
    invariant: 4,
    says: 'a sale has at most one successful confirm, and exactly one once it is confirmed',
    sql: `
      SELECT o.id, o.status, count(c.id) FILTER (WHERE c.status = 'DONE') AS done,
        count(c.id) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN')) AS undecided
      FROM gold_order o LEFT JOIN provider_operation c
        ON c.order_id = o.id AND c.operation = 'sell-confirm'
      WHERE o.type = 'SELL'
      GROUP BY o.id
      HAVING count(c.id) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN', 'DONE')) > 1
        OR (o.status IN ('CONFIRMED', 'COMPLETED'))
          <> (count(c.id) FILTER (WHERE c.status = 'DONE') = 1)
        OR (o.status IN ('PENDING', 'FAILED')
          AND count(c.id) FILTER (WHERE c.status IN ('INTENDED', 'UNKNOWN')) > 0)`,
  },
  {
    invariant: 5,
    says: 'a confirmed sale, and no other, has one payout, which is of the same amount',
    sql: `
      SELECT o.id, o.status, o.proceeds_paise, p.id AS payout_id, p.amount_paise
      FROM gold_order o LEFT JOIN payout p ON p.order_id = o.id
      WHERE o.type = 'SELL' AND ((o.status IN ('CONFIRMED', 'COMPLETED')
          AND p.amount_paise IS DISTINCT FROM o.proceeds_paise)
        OR (o.status NOT IN ('CONFIRMED', 'COMPLETED') AND p.id IS NOT NULL))`,
  },
  {
    invariant: 5,
    says: 'a sale is completed exactly while its payout is paid',
    sql: `
      SELECT o.id, o.status, p.id AS payout_id, p.status AS payout_status
      FROM gold_order o JOIN payout p ON p.order_id = o.id
      WHERE (o.status = 'COMPLETED') <> (p.status = 'PAID')`,
  },
  {
    invariant: 6,
    says: 'every sale has one idempotency key',
    // Keys are purged after 90 days (contract: limits > Retention).
    sql: `
      SELECT o.id, o.status, count(k.key) AS keys
      FROM gold_order o LEFT JOIN idempotency_key k ON k.resource_id = o.id
        AND k.owner_id = o.user_id AND k.operation = 'gold.sell'
      WHERE o.type = 'SELL' AND o.created_at > now() - interval '89 days'
      GROUP BY o.id HAVING count(k.key) <> 1`,
  },
  {
    invariant: 7,
    says: 'only a verified sale is under review, and only a failed sale has a failure code',
    sql: `
      SELECT id, status, manual_review_code, failure_code FROM gold_order
      WHERE type = 'SELL' AND ((manual_review_code IS NOT NULL AND status <> 'VERIFIED')
        OR (status = 'FAILED') <> (failure_code IS NOT NULL))`,
  },
];
