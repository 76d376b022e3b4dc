import type { PaymentGateway } from '../../src/adapters/payment-gateway/port.ts';
import { execute, sql, type Db } from '../../src/platform/db/index.ts';
import { unknown } from '../../src/platform/outcome/outcome.ts';

type Gateways = ReadonlyMap<string, PaymentGateway>;

export const silentGatewayCode = 'silent';

const silence = async () => unknown('silent');

/** Adds a gateway that gives no answer about any order or payment. */
export const withSilentGateway = (real: Gateways): Gateways => {
  const [first] = real.values();
  if (first === undefined) throw new Error('there is no gateway to silence');
  const silent = { ...first, code: silentGatewayCode };
  return new Map([
    ...real,
    [silent.code, { ...silent, listPayments: silence, findOrderByReceipt: silence }],
  ]);
};

/**
 * Copies an unpaid buy so many times, to that gateway, with its quote, its payment order, the key
 * that it came of and its history.
 */
export const copyToSilentGateway = async (db: Db, orderId: string, count: number) => {
  const mine = sql`
    SELECT n, gen_random_uuid()::text AS id, gen_random_uuid()::text AS quote_id,
      gen_random_uuid()::text AS payment_order_id
    FROM generate_series(1, ${count}::int) AS n`;
  await execute(
    db,
    sql`
      WITH copies AS MATERIALIZED (${mine}),
      quotes AS (
        INSERT INTO gold_quote SELECT (jsonb_populate_record(q, jsonb_build_object(
          'id', c.quote_id, 'provider_tx_id', 'copy-' || c.quote_id))).*
        FROM copies c, gold_order o JOIN gold_quote q ON q.id = o.quote_id
        WHERE o.id = ${orderId}::uuid),
      orders AS (
        INSERT INTO gold_order SELECT (jsonb_populate_record(o, jsonb_build_object(
          'id', c.id, 'quote_id', c.quote_id, 'provider_tx_id', 'copy-' || c.quote_id))).*
        FROM copies c, gold_order o WHERE o.id = ${orderId}::uuid),
      events AS (
        INSERT INTO gold_order_event SELECT (jsonb_populate_record(e, jsonb_build_object(
          'id', gen_random_uuid(), 'order_id', c.id,
          'seq', nextval(pg_get_serial_sequence('gold_order_event', 'seq'))))).*
        FROM copies c, gold_order_event e WHERE e.order_id = ${orderId}::uuid),
      keys AS (
        INSERT INTO idempotency_key SELECT (jsonb_populate_record(k, jsonb_build_object(
          'key', 'copy-' || c.id, 'resource_id', c.payment_order_id))).*
        FROM copies c, payment_order p JOIN idempotency_key k ON k.resource_id = p.id
        WHERE p.order_id = ${orderId}::uuid)
      INSERT INTO payment_order SELECT (jsonb_populate_record(p, jsonb_build_object(
        'id', c.payment_order_id, 'order_id', c.id, 'quote_id', c.quote_id,
        'gateway', ${silentGatewayCode}::text, 'gateway_order_id', 'copy-' || c.id))).*
      FROM copies c, payment_order p WHERE p.order_id = ${orderId}::uuid`,
  );
};
