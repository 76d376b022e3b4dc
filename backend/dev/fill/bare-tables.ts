import type { Client } from 'pg';

/** The tables that a run fills with many rows. */
const tables = [
  'app_user',
  'user_data_key',
  'kyc_record',
  'bank_account',
  'bank_validation',
  'sip_plan',
  'gold_quote',
  'gold_order',
  'gold_order_event',
  'provider_operation',
  'holding',
  'holding_movement',
  'payment_order',
  'gateway_attempt',
  'gateway_payment',
  'webhook_event',
  'idempotency_key',
  'payout',
  'payout_attempt',
  'notification',
  'product',
  'product_order',
  'product_order_line',
  'product_order_event',
  'product_invoice',
];

const isFilled = `= ANY ($1::regclass[])`;

/** A constraint or an index that is taken off, with the statement that puts it back. */
const keys = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS off,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
      pg_get_constraintdef(oid)) AS back
  FROM pg_constraint WHERE contype = 'f' AND conrelid ${isFilled}`;

const indexes = `
  SELECT format('DROP INDEX %s', indexrelid::regclass) AS off, pg_get_indexdef(indexrelid) AS back
  FROM pg_index WHERE NOT indisprimary AND indrelid ${isFilled}
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`;

/**
 * Selects the triggers of single rows. Triggers of whole statements stay, since they keep counts.
 */
const triggers = `
  SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname) AS off,
    format('ALTER TABLE %s ENABLE TRIGGER %I', tgrelid::regclass, tgname) AS back
  FROM pg_trigger WHERE NOT tgisinternal AND tgtype & 1 = 1 AND tgenabled = 'O'
    AND tgrelid ${isFilled}`;

/**
 * The number of orders from which it is faster to build indexes and check keys once than at each
 * row.
 */
const manyOrders = 20_000;

/**
 * Runs `work`, which adds `orders` orders, while the tables have no row triggers and, if the orders
 * are many, no foreign keys and no indexes except primary keys. Restores and checks all of them.
 * Everything is one transaction, so that others see all of it or nothing.
 */
export const withBareTables = async (
  client: Client,
  orders: number,
  work: () => Promise<void>,
): Promise<void> => {
  const restoring: string[] = [];
  for (const sql of orders < manyOrders ? [triggers] : [keys, indexes, triggers]) {
    const { rows } = await client.query<{ off: string; back: string }>(sql, [tables]);
    for (const row of rows) await client.query(row.off);
    restoring.unshift(...rows.map((row) => row.back));
  }
  await work();
  for (const sql of restoring) await client.query(sql);
};
