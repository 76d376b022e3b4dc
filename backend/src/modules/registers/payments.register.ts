import { sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { count, date, money, personName, text, time, valuesOf } from './columns.ts';
import type { Register } from './registers.types.ts';

/** Shows an amount only if it is in rupees, since amounts of other currencies are never added up. */
const rupees = (value: Sql): Sql => sql`CASE WHEN g.currency = 'INR' THEN ${value} END`;
const captured = sql`CASE WHEN g.currency = 'INR' AND g.status <> 'FAILED' THEN g.amount_paise END`;
const refunded = sql`CASE WHEN g.currency = 'INR' AND g.status = 'REFUNDED' THEN g.amount_paise END`;

const byReference = (q: string): Sql => {
  const gateways = valuesOf(sql`gateway_payment`, sql`gateway`);
  return sql`
    SELECT f.id FROM gateway_payment f
    WHERE f.gateway IN ${gateways} AND f.gateway_payment_id = ${q}
    UNION SELECT f.id FROM gateway_payment f
    WHERE f.gateway IN ${gateways} AND f.gateway_order_id = ${q}`;
};

const byId = (q: string): Sql => sql`
  SELECT ${q}::uuid
  UNION SELECT f.id FROM gateway_payment f WHERE f.payment_order_id = ${q}::uuid
  UNION SELECT f.id FROM payment_order p JOIN gateway_payment f ON f.payment_order_id = p.id
    WHERE p.order_id = ${q}::uuid OR p.user_id = ${q}::uuid`;

/** Payments as the gateways reported them, by the day of the report. */
export const paymentsRegister: Register = {
  name: 'payments',
  permission: 'gold.payments.read',
  summary: 'Payments that a gateway reported, by the day on which the service recorded them',
  statuses: ['CAPTURED', 'FAILED', 'REFUNDED'],
  table: 'gateway_payment',
  alias: 'g',
  moment: sql`g.learned_at`,
  key: sql`g.id`,
  figures: () => sql`
    LEFT JOIN (
      SELECT gateway, gateway_payment_id, sum(amount_paise) AS amount_paise
      FROM payment_reversal GROUP BY 1, 2) AS v USING (gateway, gateway_payment_id)`,
  lookups: sql`
    LEFT JOIN payment_order p ON p.id = g.payment_order_id
    LEFT JOIN app_user u ON u.id = p.user_id`,
  columns: [
    date('date', sql`g.learned_at`),
    text('paymentId', sql`g.id`),
    text('status', sql`g.status`),
    text('disposition', sql`g.standing`),
    text('gateway', sql`g.gateway`),
    text('gatewayPaymentId', sql`g.gateway_payment_id`),
    text('gatewayOrderId', sql`g.gateway_order_id`),
    text('paymentOrderId', sql`g.payment_order_id`),
    text('orderId', sql`p.order_id`),
    text('customerId', sql`p.user_id`),
    personName('customerName', sql`u.full_name`),
    text('method', sql`g.method`),
    text('currency', sql`g.currency`),
    count('reportedAmount', sql`g.amount_paise`),
    money('capturedPaise', captured),
    money('refundedPaise', refunded),
    money('reversedPaise', rupees(sql`v.amount_paise`)),
    text('refundReference', sql`g.refund_reference`),
    time('learnedAt', sql`g.learned_at`),
    time('gatewayAt', sql`g.gateway_at`),
    time('refundedAt', sql`g.refunded_at`),
  ],
  isOfStatus: (status) => sql`g.status = ${status}`,
  isFoundBy: (q) => sql`g.id IN (${isUuid(q) ? byId(q) : byReference(q)})`,
};
