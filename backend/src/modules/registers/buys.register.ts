import { sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import {
  count,
  date,
  grams,
  money,
  noJoins,
  personName,
  price,
  text,
  time,
  valuesOf,
} from './columns.ts';
import type { Register } from './registers.types.ts';

/** Shows a figure only for an allocated order, since any other order is not a supply. */
const supplied = (value: Sql): Sql => sql`CASE WHEN o.allocated_at IS NOT NULL THEN ${value} END`;
const moment = sql`coalesce(o.allocated_at, o.created_at)`;

/** Selects orders by the id of a provider's transaction, a gateway order or a gateway's payment. */
const byReference = (q: string): Sql => sql`
  SELECT f.id FROM gold_order f WHERE f.provider_tx_id = ${q}
    AND f.provider IN ${valuesOf(sql`gold_order`, sql`provider`)}
  UNION SELECT p.order_id FROM payment_order p WHERE p.gateway_order_id = ${q}
    AND p.gateway IN ${valuesOf(sql`payment_order`, sql`gateway`)}
  UNION SELECT p.order_id FROM gateway_payment g JOIN payment_order p ON p.id = g.payment_order_id
    WHERE g.gateway_payment_id = ${q}
      AND g.gateway IN ${valuesOf(sql`gateway_payment`, sql`gateway`)}`;

const byId = (q: string): Sql => sql`
  SELECT ${q}::uuid
  UNION SELECT f.id FROM gold_order f
    WHERE f.user_id = ${q}::uuid OR f.quote_id = ${q}::uuid OR f.sip_plan_id = ${q}::uuid
  UNION SELECT p.order_id FROM payment_order p WHERE p.id = ${q}::uuid
  UNION SELECT p.order_id FROM gateway_payment g JOIN payment_order p ON p.id = g.payment_order_id
    WHERE g.id = ${q}::uuid`;

/** Purchases and installments, by the day of their allocation, which is the day of the supply. */
export const buysRegister: Register = {
  name: 'buys',
  permission: 'gold.buys.read',
  summary: 'Purchases and installments, by the day on which their gold was allocated',
  statuses: ['PENDING', 'PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW', 'FAILED'],
  table: 'gold_order',
  alias: 'o',
  condition: sql`o.type <> 'SELL'`,
  moment,
  key: sql`o.id`,
  figures: noJoins,
  lookups: sql`LEFT JOIN app_user u ON u.id = o.user_id`,
  columns: [
    date('date', moment),
    text('orderId', sql`o.id`),
    text('type', sql`o.type`),
    text('status', sql`o.status`),
    text('customerId', sql`o.user_id`),
    personName('customerName', sql`u.full_name`),
    money('orderedPaise', sql`o.amount_paise`),
    grams('grams', supplied(sql`o.grams`)),
    price('pricePerGramPaise', supplied(sql`o.price_per_gram_paise`)),
    money('goldValuePaise', supplied(sql`o.gold_value_paise`)),
    count('gstRateBps', supplied(sql`o.gst_rate_bps`)),
    money('gstPaise', supplied(sql`o.gst_paise`)),
    money('cgstPaise', supplied(sql`o.gst_paise / 2`)),
    money('sgstPaise', supplied(sql`o.gst_paise - o.gst_paise / 2`)),
    money('amountPaise', supplied(sql`o.amount_paise`)),
    money('roundingPaise', supplied(sql`o.rounding_paise`)),
    money('providerAmountPaise', supplied(sql`o.provider_amount_paise`)),
    money('providerDifferencePaise', supplied(sql`o.amount_paise - o.provider_amount_paise`)),
    text('providerTxId', sql`o.provider_tx_id`),
    text('sipPlanId', sql`o.sip_plan_id`),
    count('installmentNo', sql`o.installment_no`),
    text('manualReviewCode', sql`o.manual_review_code`),
    text('refundReference', sql`o.refund_reference`),
    time('createdAt', sql`o.created_at`),
    time('allocatedAt', sql`o.allocated_at`),
    time('recoveredAt', sql`o.recovered_at`),
  ],
  isOfStatus: (status) => sql`o.status = ${status}`,
  isFoundBy: (q) => sql`o.id IN (${isUuid(q) ? byId(q) : byReference(q)})`,
};
