import { withConnection } from '../../dev/stack/database-setup.ts';

/*
 * Consistent books of `orders` buys by `customers`, `n` days old and more, and a sell with its
 * payout for every twentieth: as rows, for what depends on how many there are. Ids are made of
 * the number of the row.
 */
const id = (kind: string, number: string): string =>
  `('0${kind}000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

const statements = (orders: number, customers: number, at: string): readonly string[] => {
  const day = `${at}::timestamptz - interval '10 days'`;
  const made = `${day} - n * interval '1 minute'`;
  const user = id('1', `1 + n % ${customers}`);
  const buys = `generate_series(1, ${orders}) AS n`;
  const sells = `generate_series(20, ${orders}, 20) AS n`;
  const gold = `'safegold', 'b' || n`;
  return [
    `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
     SELECT ${id('1', 'n')}, '+919' || lpad(n::text, 9, '0'), 'h' || n, 'R' || n, ${day}, ${day}
     FROM generate_series(1, ${customers}) AS n`,
    `INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
       price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, total_paise,
       rounding_paise, provider, provider_tx_id, lock_started_at, lock_ends_at, expires_at,
       consumed_at, created_at, updated_at)
     SELECT ${id('2', 'n')}, ${user}, 'BUY', 'CONSUMED', 'INR', 103, 0.01, 1000000, 10000, 300, 300,
       10300, 0, ${gold}, ${made}, ${made}, ${made}, ${made}, ${made}, ${made} FROM ${buys}`,
    `INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
       price_per_gram_paise, gold_value_paise, gst_paise, rounding_paise, provider,
       provider_tx_id, paid_at, allocated_at, created_at, updated_at)
     SELECT ${id('3', 'n')}, ${user}, 'BUY', 'ALLOCATED', ${id('2', 'n')}, 'INR', 10300, 0.01,
       1000000, 10000, 300, 0, ${gold}, ${made}, ${made}, ${made}, ${made} FROM ${buys}`,
    `INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
     SELECT ${id('4', 'n')}, ${id('3', 'n')}, NULL, 'ALLOCATED', 'x', 'worker', ${made}
     FROM ${buys}`,
    `INSERT INTO provider_operation (id, order_id, user_id, provider, operation, status,
       provider_tx_id, grams, verified_at, started_at, settled_at)
     SELECT ${id('5', 'n')}, ${id('3', 'n')}, ${user}, 'safegold', 'buy-confirm', 'DONE', 'b' || n,
       0.01, ${made}, ${made}, ${made} FROM ${buys}`,
    `INSERT INTO payment_order (id, user_id, order_id, gateway, gateway_order_id, amount_paise,
       status, created_at, updated_at)
     SELECT ${id('6', 'n')}, ${user}, ${id('3', 'n')}, 'sandbox', 'g' || n, 10300, 'EXPIRED',
       ${made}, ${made} FROM ${buys}`,
    `INSERT INTO gateway_payment (id, gateway, gateway_payment_id, gateway_order_id,
       payment_order_id, status, standing, amount_paise, currency, learned_at, updated_at)
     SELECT ${id('7', 'n')}, 'sandbox', 'p' || n, 'g' || n, ${id('6', 'n')}, 'CAPTURED', 'APPLIED',
       10300, 'INR', ${made}, ${made} FROM ${buys}`,
    `INSERT INTO webhook_event (id, source, gateway, body_hash, event_type, subject,
       gateway_payment_id, status, received_at, applied_at)
     SELECT ${id('8', 'n')}, 'payment', 'sandbox', 'h' || n, 'payment.captured', 'g' || n, 'p' || n,
       'APPLIED', ${made}, ${made} FROM ${buys}`,
    `INSERT INTO bank_account (id, user_id, status, number_sealed, number_hash, account_last4, ifsc,
       holder_name_sealed, created_at, updated_at)
     SELECT ${id('9', 'n')}, ${id('1', 'n')}, 'VERIFIED', 'x', 'x', '9999', 'HDFC0000053', 'x',
       ${day}, ${day} FROM generate_series(1, ${customers}) AS n`,
    `INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
       price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
       provider_price_paise, expires_at, consumed_at, created_at, updated_at)
     SELECT ${id('2', `n + ${orders}`)}, ${user}, 'SELL', 'CONSUMED', 'GRAMS', 0.005, 0.005, 1000000,
       5000, 0, 'safegold', 'r', 1000000, ${made}, ${made}, ${made}, ${made} FROM ${sells}`,
    `INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
       price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_tx_id,
       bank_account_id, created_at, updated_at)
     SELECT ${id('3', `n + ${orders}`)}, ${user}, 'SELL', 'COMPLETED', ${id('2', `n + ${orders}`)},
       'GRAMS', 5000, 0.005, 1000000, 5000, 0, 'safegold', 's' || n,
       ${id('9', `1 + n % ${customers}`)}, ${made}, ${made} FROM ${sells}`,
    `INSERT INTO payout (id, user_id, order_id, bank_account_id, amount_paise, status, attempt,
       paid_at, dispatched_at, created_at, updated_at)
     SELECT ${id('a', 'n')}, ${user}, ${id('3', `n + ${orders}`)}, ${id('9', `1 + n % ${customers}`)},
       5000, 'PAID', 1, ${made}, ${made}, ${made}, ${made} FROM ${sells}`,
    `INSERT INTO payout_attempt (id, payout_id, attempt_no, bank_account_id, idempotency_key,
       provider, provider_payout_id, status, started_at)
     SELECT ${id('b', 'n')}, ${id('a', 'n')}, 1, ${id('9', `1 + n % ${customers}`)},
       replace(${id('a', 'n')}::text, '-', '') || '-1', 'razorpayx', 'pout' || n, 'PAID', ${made}
     FROM ${sells}`,
    // Invested is the sum of the credits here; sells took nothing of it.
    `INSERT INTO holding (user_id, balance, invested_paise, version, created_at, updated_at)
     SELECT o.user_id, sum(CASE o.type WHEN 'SELL' THEN -o.grams ELSE o.grams END),
       count(*) FILTER (WHERE o.type <> 'SELL') * 10300, count(*), ${day}, ${day}
     FROM gold_order o GROUP BY o.user_id`,
    `INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
       balance_after, invested_after_paise, version, at)
     SELECT ${id('c', 'row_number() OVER (ORDER BY o.id)')}, o.user_id, o.id,
       CASE o.type WHEN 'SELL' THEN 'DEBIT' ELSE 'CREDIT' END,
       CASE o.type WHEN 'SELL' THEN -o.grams ELSE o.grams END,
       CASE o.type WHEN 'SELL' THEN 0 ELSE 10300 END,
       sum(CASE o.type WHEN 'SELL' THEN -o.grams ELSE o.grams END) OVER so_far,
       sum(CASE o.type WHEN 'SELL' THEN 0 ELSE 10300 END) OVER so_far,
       row_number() OVER so_far, o.created_at
     FROM gold_order o WINDOW so_far AS (PARTITION BY o.user_id ORDER BY o.type, o.id)`,
    'ANALYZE',
  ];
};

/** Every foreign key, with how to drop it and how to put it back unchecked. */
const foreignKeys = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', conrelid::regclass, conname,
      pg_get_constraintdef(oid)) AS add
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`;

/** Writes them as the owner of the tables. `at` is when the newest is ten days old. */
export const insertLargeBooks = (
  migrateUrl: string,
  given: { readonly orders: number; readonly customers: number; readonly at: Date },
): Promise<void> =>
  withConnection(migrateUrl, async (client) => {
    const at = `'${given.at.toISOString()}'`;
    await client.query('BEGIN');
    // The keys hold by the way the rows are made; checking each would take most of the time.
    const { rows: keys } = await client.query<{ drop: string; add: string }>(foreignKeys);
    for (const { drop } of keys) await client.query(drop);
    for (const sql of statements(given.orders, given.customers, at)) await client.query(sql);
    for (const { add } of keys) await client.query(add);
    await client.query('COMMIT');
  });
