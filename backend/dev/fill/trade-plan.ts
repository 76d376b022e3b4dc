import type { SqlTerms } from './series.ts';

/*
 * Plans the orders of a series in a temporary table. The other statements only copy rows from it.
 * The last two digits of an order's number decide what happens to the order:
 *
 *   0-61 bought · 62-67 expired unpaid · 68-70 declined by the gateway · 71 paid late and refunded
 *   72-83 an installment, bought · 84 an installment that was not paid
 *   85-94 sold (85 sells all that was bought) · 95 sold, and the payout failed (see below)
 *   96 a sale that the provider refused · 97 sold, paid out by the second attempt
 *   98 sold, and the payout waits for approval (see below) · 99 bought by the second payment
 *
 * The work that waits for an operator does not grow with the number of orders. Only the first 1,000
 * orders have payouts that failed or wait for approval, ten of each. After them, 95 and 98 are sold
 * and paid out. At most 40 KYC records wait for a review. Each sale sells gold that its customer
 * bought 50 orders earlier, so no balance runs short.
 */

/** Returns the number of installments among the first `orders`. */
const installmentsIn = (orders: number): number =>
  Math.floor(orders / 100) * 13 + Math.max(0, Math.min(13, (orders % 100) - 72));

/**
 * Returns SQL that picks the customer of the order at position `at` of `of`. It picks only among
 * customers who had joined by then.
 */
const trader = (terms: SqlTerms, at: string, number: string, of: number): string => {
  const active = terms.users - Math.floor(terms.users / 10);
  const joined = `greatest(1, ${active}::bigint * (${at}) / ${of})`;
  return terms.pick(number, 7, joined);
};

/**
 * Returns SQL that turns a position among the trading customers into a customer's number. It skips
 * the numbers that end in 0, because those customers never trade.
 */
const skipIdle = (trading: string): string => `(${trading} + 1 + ${trading} / 9)`;

/** Returns the statements that make the temporary tables `fill_user`, `fill_plan`, `fill_order`. */
export const planStatements = (terms: SqlTerms): readonly string[] => {
  const { orders, users, fromSql, seconds } = terms;
  const installments = installmentsIn(orders);
  const plans = Math.max(1, Math.ceil(installments / 12));
  const firstOrderOfPlan = '(p / 13) * 100 + 72 + p % 13';
  const moment = (place: string, of: number): string =>
    `date_trunc('milliseconds',
       ${fromSql} + ${seconds}::float8 * (${place}) / ${of} * interval '1 second')`;
  return [
    `CREATE TEMPORARY TABLE fill_user ON COMMIT DROP AS
     SELECT u, ${terms.id('user', 'u')} AS id, ${moment('u - 1', users)} - interval '1 hour' AS at,
       CASE WHEN u % 10 <> 0 THEN 'trading' WHEN u > 2000 AND u / 10 % 5 = 1 THEN 'rejected'
         ELSE (ARRAY['unasked', 'submitted', 'rejected', 'new', 'deleted'])[1 + u / 10 % 5]
       END AS kind
     FROM generate_series(1, ${users}) AS u`,
    `CREATE TEMPORARY TABLE fill_plan ON COMMIT DROP AS
     SELECT p, ${terms.id('plan', 'p')} AS id, ${skipIdle('trading')} AS u,
       50000 + p % 20 * 5000 AS amount, ${moment(firstOrderOfPlan, orders)} AS at,
       (${installments} - p + ${plans} - 1) / ${plans} AS raised
     FROM (
       SELECT p, ${trader(terms, firstOrderOfPlan, 'p', orders)} AS trading
       FROM generate_series(0, ${plans - 1}) AS p) AS numbered
     WHERE p < ${installments}`,
    `CREATE TEMPORARY TABLE fill_order ON COMMIT DROP AS
     WITH numbered AS MATERIALIZED (
       SELECT n, n % 100 AS k, (n / 100) * 13 + n % 100 - 72 AS j,
         CASE WHEN n % 100 BETWEEN 85 AND 98 THEN n - 50 ELSE n END AS root,
         ${moment('n', orders)} AS at
       FROM generate_series(0, ${orders - 1}) AS n),
     priced AS (
       SELECT *,
         700000 + 600000::bigint * n / ${orders} + ${terms.pick('n', 3, '5000')} AS price,
         700000 + 600000::bigint * root / ${orders} + ${terms.pick('root', 3, '5000')} AS root_price,
         ${trader(terms, 'root', 'root', orders)} AS trading,
         10000 + ${terms.pick('root', 11, '2000000')} AS root_amount,
         CASE WHEN k BETWEEN 72 AND 84 THEN j % ${plans} END AS p
       FROM numbered),
     bought AS (
       SELECT r.n, r.k, r.at, r.price, r.root, r.p, r.j,
         coalesce(plan.u, ${skipIdle('r.trading')}) AS u,
         coalesce(plan.amount, r.root_amount)::bigint AS amount, r.root_price
       FROM priced r LEFT JOIN fill_plan plan ON plan.p = r.p),
     figured AS (
       SELECT *, round(amount * 10000 / 10300.0)::bigint AS gold_value
       FROM bought),
     weighed AS (
       SELECT *, trunc(gold_value / root_price::numeric, 4) AS root_grams FROM figured),
     shaped AS (
     SELECT n, ${terms.id('order', 'n')} AS id, ${terms.id('user', 'u')} AS user_id, u, at, price, amount,
       CASE
         WHEN k <= 61 THEN 'bought' WHEN k <= 67 THEN 'expired' WHEN k <= 70 THEN 'declined'
         WHEN k = 71 THEN 'refunded' WHEN k <= 83 THEN 'raised' WHEN k = 84 THEN 'missed'
         WHEN k = 96 THEN 'refused' WHEN k = 97 THEN 'sold_retried'
         WHEN k = 95 AND n < 1000 THEN 'sold_unpaid'
         WHEN k = 98 AND n < 1000 THEN 'sold_waiting'
         WHEN k = 99 THEN 'second_try' ELSE 'sold'
       END AS class,
       k BETWEEN 85 AND 98 AS is_sale, k BETWEEN 72 AND 84 AS is_installment,
       gold_value, amount - gold_value AS gst,
       CASE WHEN k = 85 THEN root_grams WHEN k BETWEEN 86 AND 98 THEN trunc(root_grams / 2, 4)
         ELSE root_grams END AS grams,
       gold_value - round(root_grams * root_price)::bigint AS rounding,
       p, 1 + j / ${plans} AS installment_no,
       ${terms.series} * 100000000000 + n AS tx_id
     FROM weighed)
     SELECT *, CASE WHEN is_sale THEN round(grams * price)::bigint END AS proceeds FROM shaped`,
    'ANALYZE fill_order',
    'ANALYZE fill_user',
  ];
};
