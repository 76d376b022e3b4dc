import type { SqlTerms } from './series.ts';

const seconds = (count: string): string => `${count} * interval '1 second'`;

/**
 * The transitions below are parts of the histories of the order classes. The actors `customer` and
 * `admin` are placeholders for the order's customer and an operator.
 */
const bought = [
  ['PENDING', 'PAID', 'payment.captured', 'gateway:sandbox', 60],
  ['PAID', 'ALLOCATED', 'provider.bought', 'worker', 62],
] as const;
const sold = [
  ['PENDING', 'VERIFIED', 'provider.verified', 'customer', 1],
  ['VERIFIED', 'CONFIRMED', 'provider.sold', 'customer', 2],
] as const;
const paidOut = (after: number) =>
  ['CONFIRMED', 'COMPLETED', 'payout.processed', 'payout-provider:razorpayx', after] as const;

/** A transition. `after` is its time in seconds after the order was placed. */
type Step = readonly [from: string, to: string, cause: string, actor: string, after: number];

const histories: Readonly<Record<string, readonly Step[]>> = {
  bought,
  raised: bought,
  expired: [['PENDING', 'FAILED', 'lock.lapsed', 'worker', 490]],
  missed: [['PENDING', 'FAILED', 'installment.unpaid', 'worker', 259_200]],
  declined: [['PENDING', 'FAILED', 'payment.failed', 'gateway:sandbox', 60]],
  second_try: [
    ['PENDING', 'FAILED', 'payment.failed', 'gateway:sandbox', 30],
    ['FAILED', 'PAID', 'payment.captured', 'gateway:sandbox', 60],
    ['PAID', 'ALLOCATED', 'provider.bought', 'worker', 62],
  ],
  refunded: [
    ['PENDING', 'FAILED', 'lock.lapsed', 'worker', 490],
    ['FAILED', 'MANUAL_REVIEW', 'payment.captured', 'gateway:sandbox', 900],
    ['MANUAL_REVIEW', 'FAILED', 'resolve.refunded', 'admin', 7200],
  ],
  refused: [['PENDING', 'FAILED', 'provider.not-verified', 'customer', 1]],
  sold: [...sold, paidOut(600)],
  sold_retried: [...sold, paidOut(90_000)],
  sold_unpaid: sold,
  sold_waiting: sold,
};

const stepRows = Object.entries(histories)
  .flatMap(([name, steps]) =>
    steps.map(
      ([from, to, cause, actor, after], at) =>
        `('${name}', ${at + 1}, '${from}', '${to}', '${cause}', '${actor}', ${after})`,
    ),
  )
  .concat(
    Object.keys(histories).map(
      (name) => `('${name}', 0, NULL, 'PENDING', 'order.placed',
        ${name === 'raised' || name === 'missed' ? "'worker'" : "'customer'"}, 0)`,
    ),
  )
  .join(',\n');

/** The SQL values of each class: its name, its last status, and the seconds until that status. */
const lastSteps = Object.entries(histories)
  .map(([name, steps]) => `('${name}', '${steps.at(-1)?.[1]}', ${steps.at(-1)?.[4]})`)
  .join(', ');

/** SQL condition that is true if the gold of the order `o` was bought. */
export const isBought = `o.class IN ('bought', 'raised', 'second_try')`;
/** SQL condition that is true if the order `o` sold gold. */
export const isSold = `o.class LIKE 'sold%'`;

const providerPaid = '(amount - rounding)';

const txId = 'tx_id::text';

const quoteIdOf = (terms: SqlTerms): string => terms.id('quote', 'n');

const quotesSql = (terms: SqlTerms): readonly string[] => {
  const quote = quoteIdOf(terms);
  return [
    `INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
       price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, total_paise,
       rounding_paise, provider, provider_tx_id, provider_rate_id, provider_amount_paise,
       lock_started_at, lock_ends_at, expires_at, consumed_at, created_at, updated_at)
     SELECT ${quote}, user_id, 'BUY', 'CONSUMED', 'INR', amount / 100.0, grams, price, gold_value,
       gst, 300, amount, rounding, 'safegold', ${txId}, ${txId}, ${providerPaid},
       at, at + interval '8 minutes', at + interval '7 minutes', at, at, at
     FROM fill_order WHERE NOT is_sale AND NOT is_installment ORDER BY n`,
    `INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
       price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
       provider_price_paise, expires_at, consumed_at, created_at, updated_at)
     SELECT ${quote}, user_id, 'SELL', 'CONSUMED', 'GRAMS', grams, grams, price, proceeds, 0,
       'safegold', ${txId}, price, at + interval '2 minutes', at, at, at
     FROM fill_order WHERE is_sale ORDER BY n`,
  ];
};

const ordersSql = (terms: SqlTerms): string => {
  const quote = quoteIdOf(terms);
  return `INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
     price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, rounding_paise,
     proceeds_paise, withheld_paise, provider, provider_tx_id, provider_rate_id,
     provider_amount_paise, lock_started_at, lock_ends_at, expires_at, paid_at, allocated_at,
     confirmed_at, failure_code, refund_reference, bank_account_id, sip_plan_id, installment_no, due_at,
     created_at, updated_at)
   SELECT o.id, user_id, CASE WHEN is_sale THEN 'SELL' WHEN is_installment THEN 'SIP_INSTALLMENT'
       ELSE 'BUY' END, last.status, CASE WHEN NOT is_installment THEN ${quote} END,
     CASE WHEN is_sale THEN 'GRAMS' ELSE 'INR' END, CASE WHEN is_sale THEN proceeds ELSE amount END,
     CASE WHEN is_known THEN grams END, CASE WHEN is_known THEN price END,
     CASE WHEN is_known AND NOT is_sale THEN gold_value END,
     CASE WHEN is_known AND NOT is_sale THEN gst END,
     CASE WHEN is_known AND NOT is_sale THEN 300 END,
     CASE WHEN is_known AND NOT is_sale THEN rounding END,
     proceeds, CASE WHEN is_sale THEN 0 END,
     CASE WHEN has_tx THEN 'safegold' END, CASE WHEN has_tx THEN ${txId} END,
     CASE WHEN has_tx THEN ${txId} END,
     CASE WHEN has_tx THEN CASE WHEN is_sale THEN proceeds ELSE ${providerPaid} END END,
     CASE WHEN NOT is_installment THEN at END,
     CASE WHEN NOT is_installment THEN at + interval '8 minutes' END,
     CASE WHEN is_installment THEN at + interval '72 hours'
       WHEN NOT is_sale THEN at + interval '8 minutes' END,
     CASE WHEN ${isBought} THEN at + interval '60 seconds'
       WHEN o.class = 'refunded' THEN at + interval '900 seconds' END,
     CASE WHEN ${isBought} THEN at + interval '62 seconds' END,
     CASE WHEN ${isSold} THEN at + interval '2 seconds' END,
     CASE o.class WHEN 'expired' THEN 'LOCK_LAPSED' WHEN 'missed' THEN 'UNPAID'
       WHEN 'declined' THEN 'PAYMENT_FAILED' WHEN 'refunded' THEN 'REFUNDED'
       WHEN 'refused' THEN 'NOT_SOLD' END,
     CASE WHEN o.class = 'refunded' THEN ${terms.name('rfnd_', 'n')} END,
     CASE WHEN is_sale THEN ${terms.id('bank', 'u')} END,
     CASE WHEN is_installment THEN ${terms.id('plan', 'p')} END,
     CASE WHEN is_installment THEN installment_no END, CASE WHEN is_installment THEN at END,
     at, at + ${seconds('last.after')}
   FROM (
     SELECT *, NOT is_installment OR class = 'raised' AS is_known,
       class NOT IN ('missed', 'refused') AS has_tx FROM fill_order) AS o
   JOIN (VALUES ${lastSteps}) AS last (class, status, after) ON last.class = o.class
   ORDER BY n`;
};

const orderEventsSql = (terms: SqlTerms): string => {
  const operator = terms.id('user', '0');
  return `INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
   SELECT ${terms.id('orderEvent', 'o.n::bigint * 8 + step.step')}, o.id, step.came_from, step.went_to,
     step.cause,
     CASE step.actor WHEN 'customer' THEN 'customer:' || o.user_id
       WHEN 'admin' THEN 'admin:' || ${operator} ELSE step.actor END,
     o.at + ${seconds('step.after')}
   FROM fill_order o
   JOIN (VALUES ${stepRows}) AS step (class, step, came_from, went_to, cause, actor, after)
     ON step.class = o.class
   ORDER BY o.n, step.step`;
};

const providerOperationsSql = (terms: SqlTerms): readonly string[] => {
  const quote = quoteIdOf(terms);
  return [
    `INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation, status,
       provider_tx_id, grams, settled_at, attempts, started_at)
     SELECT ${terms.id('verify', 'n')}, id, ${quote}, user_id, 'safegold', 'sell-verify',
       CASE o.class WHEN 'refused' THEN 'REFUSED' ELSE 'DONE' END,
       CASE WHEN o.class <> 'refused' THEN ${txId} END, grams, at + interval '1 second', 1, at
     FROM fill_order o WHERE is_sale ORDER BY n`,
    `INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation, status,
       provider_tx_id, grams, amount_paise, verified_at, settled_at, last_asked_at, attempts,
       started_at)
     SELECT ${terms.id('confirm', 'n')}, id, CASE WHEN NOT is_installment THEN ${quote} END, user_id,
       'safegold', CASE WHEN is_sale THEN 'sell-confirm' ELSE 'buy-confirm' END, 'DONE', ${txId},
       grams, CASE WHEN is_sale THEN proceeds ELSE ${providerPaid} END, at,
       at + interval '1 second', at, 1, at
     FROM fill_order o
     WHERE ${isBought} OR ${isSold} ORDER BY n`,
  ];
};

/** Returns the statements that insert quotes, orders, order events and provider operations. */
export const orderStatements = (terms: SqlTerms): readonly string[] => [
  ...quotesSql(terms),
  ordersSql(terms),
  orderEventsSql(terms),
  ...providerOperationsSql(terms),
];
