import { execute, sql, type Db } from '../db/index.ts';
import type { Purge } from '../jobs/purge-sweep.ts';

/**
 * Days for which a key is replayed. Real time, like the lease: no order that a key started is still
 * on its way by then, and no client repeats a request for that long.
 */
const keptDays = 90;

/**
 * Deletes old keys: those that are done, and those whose request made nothing. One that has a
 * resource and was never finished stays, since a repeat of it has to go on with that resource.
 */
export const createKeyPurge = ({ db }: { readonly db: Db }): Purge => ({
  name: 'purge-idempotency-keys',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM idempotency_key WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM idempotency_key
          WHERE created_at < now() - ${keptDays}::int * interval '1 day'
            AND (status = 'DONE' OR (resource_id IS NULL AND lease_until < clock_timestamp()))
          ORDER BY created_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
    ),
});
