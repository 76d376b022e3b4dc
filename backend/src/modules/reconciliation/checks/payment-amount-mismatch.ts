import type { Bps } from '../../../money/index.ts';
import { sql, type Sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { ordersSince } from '../window.ts';

/**
 * Matches orders `o` whose price is worse for the house than the provider's price, beyond the
 * tolerance. An order that an operator allocated is compared with the provider's amount without the
 * price difference, since the house bears the difference.
 */
const breaksPriceRule = (toleranceBps: Bps): Sql => {
  const charged = sql`(o.provider_amount_paise - coalesce(o.price_difference_paise, 0))`;
  const tolerance = sql`(${charged} * ${toleranceBps}::bigint / 10000 + 1)`;
  return sql`
    CASE WHEN o.type = 'SELL' THEN o.proceeds_paise - ${charged} ELSE ${charged} - o.amount_paise END
      > ${tolerance}`;
};

/**
 * Finds orders whose quote, payment order or capture names another amount or currency, and orders
 * at a price that breaks the rule of the provider's price (contract: money > Provider's price). It
 * reads the orders of the window, and those whose capture became known in the window. It leaves out
 * orders under review, which an operator already handles. It also leaves out refunded payments and
 * second captures, which may be of any amount.
 */
export const paymentAmountMismatch: Check = {
  id: 'payment_amount_mismatch',
  title:
    'Order, quote, payment order, capture and provider disagree, and the order is not under review',
  severity: 'critical',
  run: ({ read, from, priceToleranceBps }) =>
    findRows(
      read,
      sql`
        SELECT DISTINCT ON (o.id) o.created_at AS since, o.id AS "orderId",
          o.user_id AS "userId", o.status AS "orderStatus", p.id AS "paymentOrderId", g.gateway,
          g.gateway_payment_id AS "gatewayPaymentId", o.amount_paise AS "orderPaise",
          o.provider_amount_paise AS "providerPaise",
          q.total_paise AS "quotePaise", p.amount_paise AS "paymentOrderPaise",
          g.amount_paise AS "capturedPaise", g.currency AS "capturedCurrency"
        FROM (
          ${ordersSince(from)}
          UNION
          SELECT p.order_id FROM gateway_payment g JOIN payment_order p ON p.id = g.payment_order_id
          WHERE g.learned_at >= ${from}::timestamptz) AS recent
        JOIN gold_order o ON o.id = recent.id
        LEFT JOIN gold_quote q ON q.id = o.quote_id
        LEFT JOIN payment_order p ON p.order_id = o.id
        LEFT JOIN gateway_payment g ON g.payment_order_id = p.id AND g.status = 'CAPTURED'
          AND g.standing NOT IN ('SECOND', 'REFUNDED')
        WHERE o.status <> 'MANUAL_REVIEW' AND (${breaksPriceRule(priceToleranceBps)}
          OR o.type <> 'SELL'
          AND (q.total_paise <> o.amount_paise OR p.amount_paise <> o.amount_paise
            OR g.amount_paise <> o.amount_paise OR g.amount_paise <> p.amount_paise
            OR g.currency <> p.currency))
        ORDER BY o.id, p.created_at DESC, g.learned_at DESC`,
    ),
};
