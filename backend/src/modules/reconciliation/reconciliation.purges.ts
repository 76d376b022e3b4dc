import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';

const dayMs = 24 * 60 * 60_000;
/** The longest window, and a day. */
const agreementMs = 31 * dayMs;
const runMs = 90 * dayMs;

/** Creates the purges of agreements that no window reaches, and of old runs. */
export const createReconciliationPurges = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): readonly Purge[] => [
  {
    name: 'reconciliation-purge-agreements',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM reconciliation_agreement WHERE ctid IN (
            SELECT ctid FROM reconciliation_agreement
            WHERE agreed_at < ${addMs(clock.now(), -agreementMs)}::timestamptz
            LIMIT ${limit}::int)`,
      ),
  },
  {
    name: 'reconciliation-purge-runs',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM reconciliation_run WHERE id IN (
            SELECT id FROM reconciliation_run
            WHERE requested_at < ${addMs(clock.now(), -runMs)}::timestamptz
            ORDER BY requested_at LIMIT ${limit}::int)`,
      ),
  },
];
