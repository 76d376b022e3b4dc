import { sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { date, grams, money, noJoins, personName, price, text, time, valuesOf } from './columns.ts';
import type { Register } from './registers.types.ts';

/** Shows a figure only for a confirmed sale, since any other order has not sold gold. */
const sold = (value: Sql): Sql => sql`CASE WHEN o.confirmed_at IS NOT NULL THEN ${value} END`;
const moment = sql`coalesce(o.confirmed_at, o.created_at)`;

const byReference = (q: string): Sql => sql`
  SELECT f.id FROM gold_order f WHERE f.provider_tx_id = ${q}
    AND f.provider IN ${valuesOf(sql`gold_order`, sql`provider`)}
  UNION SELECT p.order_id FROM payout_attempt a JOIN payout p ON p.id = a.payout_id
    WHERE a.provider_payout_id = ${q}
      AND a.provider IN ${valuesOf(sql`payout_attempt`, sql`provider`)}
  UNION SELECT p.order_id FROM payout p WHERE p.utr = ${q}`;

const byId = (q: string): Sql => sql`
  SELECT ${q}::uuid
  UNION SELECT f.id FROM gold_order f WHERE f.user_id = ${q}::uuid OR f.quote_id = ${q}::uuid
  UNION SELECT p.order_id FROM payout p WHERE p.id = ${q}::uuid`;

/** Sales, by the day on which the gold left the customer. */
export const sellsRegister: Register = {
  name: 'sells',
  permission: 'gold.sells.read',
  summary: 'Sales, by the day on which the gold left the customer',
  statuses: ['PENDING', 'VERIFIED', 'CONFIRMED', 'COMPLETED', 'FAILED'],
  table: 'gold_order',
  alias: 'o',
  condition: sql`o.type = 'SELL'`,
  moment,
  key: sql`o.id`,
  figures: noJoins,
  lookups: sql`
    LEFT JOIN app_user u ON u.id = o.user_id
    LEFT JOIN payout p ON p.order_id = o.id`,
  columns: [
    date('date', moment),
    text('orderId', sql`o.id`),
    text('status', sql`o.status`),
    text('customerId', sql`o.user_id`),
    personName('customerName', sql`u.full_name`),
    money('orderedPaise', sql`o.amount_paise`),
    grams('grams', sold(sql`o.grams`)),
    price('pricePerGramPaise', sold(sql`o.price_per_gram_paise`)),
    money('proceedsPaise', sold(sql`o.proceeds_paise`)),
    money('withheldPaise', sold(sql`o.withheld_paise`)),
    money('providerAmountPaise', sold(sql`o.provider_amount_paise`)),
    money('providerDifferencePaise', sold(sql`o.provider_amount_paise - o.proceeds_paise`)),
    text('providerTxId', sql`o.provider_tx_id`),
    text('payoutId', sql`p.id`),
    text('payoutStatus', sql`p.status`),
    text('manualReviewCode', sql`o.manual_review_code`),
    time('createdAt', sql`o.created_at`),
    time('confirmedAt', sql`o.confirmed_at`),
  ],
  isOfStatus: (status) => sql`o.status = ${status}`,
  isFoundBy: (q) => sql`o.id IN (${isUuid(q) ? byId(q) : byReference(q)})`,
};
