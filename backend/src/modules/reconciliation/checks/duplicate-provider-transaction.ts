import { sql, type Sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { ordersSince } from '../window.ts';

/** Selects the provider transactions of some orders, their provider operations and their quotes. */
const transactionsOf = (orders: Sql): Sql => sql`
  SELECT o.provider, o.provider_tx_id, o.id AS order_id
  FROM (${orders}) AS wanted JOIN gold_order o ON o.id = wanted.id
  WHERE o.provider_tx_id IS NOT NULL
  UNION
  SELECT c.provider, c.provider_tx_id, c.order_id
  FROM (${orders}) AS wanted JOIN provider_operation c ON c.order_id = wanted.id
  WHERE c.provider_tx_id IS NOT NULL
  UNION
  SELECT q.provider, q.provider_tx_id, o.id
  FROM (${orders}) AS wanted JOIN gold_order o ON o.id = wanted.id JOIN gold_quote q ON q.id = o.quote_id
  WHERE q.provider_tx_id IS NOT NULL`;

/**
 * Finds provider transactions of the window's orders that more than one order names. An order
 * names a transaction in its row, in its provider operations or in its quote. Unique keys refuse
 * two rows of one kind with the same transaction, but no key compares orders with quotes or with
 * provider operations.
 */
export const duplicateProviderTransaction: Check = {
  id: 'duplicate_provider_transaction',
  title: 'A provider transaction of more than one order',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        WITH own AS (${transactionsOf(ordersSince(from))}),
        named AS (
          SELECT own.provider, own.provider_tx_id, o.id AS order_id FROM own
          JOIN gold_order o USING (provider, provider_tx_id)
          UNION
          SELECT own.provider, own.provider_tx_id, c.order_id FROM own
          JOIN provider_operation c USING (provider, provider_tx_id)
          WHERE c.order_id IS NOT NULL
          UNION
          SELECT own.provider, own.provider_tx_id, o.id FROM own
          JOIN gold_quote q USING (provider, provider_tx_id)
          JOIN gold_order o ON o.quote_id = q.id)
        SELECT min(o.created_at) AS since, n.provider, n.provider_tx_id AS "providerTxId",
          count(*)::int AS orders, min(o.id::text) AS "orderId", max(o.id::text) AS "otherOrderId",
          min(o.user_id::text) AS "userId"
        FROM named n JOIN gold_order o ON o.id = n.order_id
        GROUP BY n.provider, n.provider_tx_id
        HAVING count(*) > 1`,
    ),
};
