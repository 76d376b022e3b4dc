import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';

/** The limit counts one day; the rest is for whoever looks into an abuse. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Deletes the record of penny-drops that no limit counts any more. */
export const createValidationPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-bank-validations',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM bank_validation WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM bank_validation
          WHERE requested_at < ${addMs(clock.now(), -keptMs)}::timestamptz
          ORDER BY requested_at LIMIT ${limit}::int))`,
    ),
});
