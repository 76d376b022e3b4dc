import type { Invariant } from './invariant.ts';

/** Where the money is (architecture, section 4: 3, 5, 7, 8). */
export const paymentInvariants: readonly Invariant[] = [
  {
    name: 'every captured payment is in one place: paid, allocated, or under review',
    sql: `
      SELECT format('payment %s of %s paise (%s): order %s is %s', g.gateway_payment_id,
        g.amount_paise, g.standing, o.id, coalesce(o.status, 'not there')) AS breach
      FROM gateway_payment g
      LEFT JOIN payment_order p ON p.id = g.payment_order_id
      LEFT JOIN gold_order o ON o.id = p.order_id
      WHERE g.status = 'CAPTURED'
        AND NOT coalesce(CASE g.standing
          WHEN 'APPLIED' THEN
            o.status IN ('PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW')
            AND g.amount_paise = p.amount_paise AND g.currency = p.currency
          WHEN 'UNMATCHED' THEN p.id IS NULL
          WHEN 'NONE' THEN false
          ELSE o.manual_review_code IS NOT NULL
            AND o.status NOT IN ('PENDING', 'FAILED')
        END, false)`,
  },
  {
    name: 'an order that reads paid has one captured payment of its own amount',
    sql: `
      SELECT format('order %s is %s: %s payments of %s paise, it costs %s', o.id, o.status,
        count(g.id), coalesce(sum(g.amount_paise), 0), o.amount_paise) AS breach
      FROM gold_order o
      LEFT JOIN payment_order p ON p.order_id = o.id
      LEFT JOIN gateway_payment g ON g.payment_order_id = p.id AND g.standing = 'APPLIED'
      WHERE o.type <> 'SELL' AND o.status IN ('PAID', 'RETRY_PENDING', 'ALLOCATED')
      GROUP BY o.id
      HAVING count(g.id) <> 1 OR sum(g.amount_paise) <> o.amount_paise`,
  },
  {
    name: 'no order reads FAILED or PENDING while its money is held',
    sql: `
      SELECT format('order %s is %s with payment %s captured', o.id, o.status,
        g.gateway_payment_id) AS breach
      FROM gold_order o JOIN payment_order p ON p.order_id = o.id
      JOIN gateway_payment g ON g.payment_order_id = p.id
      WHERE o.status IN ('FAILED', 'PENDING') AND g.status = 'CAPTURED'`,
  },
  {
    name: 'a payment order asks for what its gold order costs',
    sql: `
      SELECT format('payment order %s asks for %s, order %s costs %s', p.id, p.amount_paise,
        o.id, o.amount_paise) AS breach
      FROM payment_order p JOIN gold_order o ON o.id = p.order_id
      WHERE p.amount_paise <> o.amount_paise OR p.user_id <> o.user_id`,
  },
  {
    name: 'a payment order that reads PAID names the payment that was captured for it',
    sql: `
      SELECT format('payment order %s is %s', p.id, p.status) AS breach
      FROM payment_order p LEFT JOIN gateway_payment g ON g.id = p.captured_payment_id
      WHERE p.status = 'PAID' AND g.payment_order_id IS DISTINCT FROM p.id`,
  },
  {
    name: 'a confirmed sell has one payout of its proceeds',
    sql: `
      SELECT format('sell %s of %s paise: %s payouts of %s', o.id, o.proceeds_paise, count(p.id),
        coalesce(sum(p.amount_paise), 0)) AS breach
      FROM gold_order o LEFT JOIN payout p ON p.order_id = o.id
      WHERE o.type = 'SELL'
      GROUP BY o.id
      HAVING CASE WHEN o.status IN ('CONFIRMED', 'COMPLETED')
        THEN count(p.id) <> 1 OR sum(p.amount_paise) <> o.proceeds_paise
        ELSE count(p.id) <> 0 END`,
  },
  {
    name: 'an event that counts as applied left its payment on record',
    sql: `
      SELECT format('event %s of %s, payment %s', w.id, w.gateway, w.gateway_payment_id) AS breach
      FROM webhook_event w
      WHERE w.source = 'payment' AND w.status = 'APPLIED' AND w.gateway_payment_id IS NOT NULL
        AND NOT EXISTS (
          SELECT FROM gateway_payment g
          WHERE g.gateway = w.gateway AND g.gateway_payment_id = w.gateway_payment_id)`,
  },
];
