import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/sweep.ts';
import { quoteRetentionMs } from './quotes.store.ts';

/**
 * Creates the purge of quotes that expired long ago and to which no row refers. The foreign keys of
 * orders, payment orders and provider operations would refuse to delete any other quote.
 */
export const createQuotePurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'quotes-purge',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM gold_quote WHERE id IN (
          SELECT q.id FROM gold_quote q
          WHERE q.status = 'EXPIRED'
            AND q.expires_at < ${addMs(clock.now(), -quoteRetentionMs)}::timestamptz
            AND NOT EXISTS (SELECT FROM gold_order o WHERE o.quote_id = q.id)
            AND NOT EXISTS (SELECT FROM payment_order p WHERE p.quote_id = q.id)
            AND NOT EXISTS (SELECT FROM provider_operation c WHERE c.quote_id = q.id)
          ORDER BY q.expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
    ),
});
