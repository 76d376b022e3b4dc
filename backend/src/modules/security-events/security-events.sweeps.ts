import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { keptMs } from './security-events.store.ts';

/** Deletes the events that have been kept long enough. */
export const createSecurityEventPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'security-events-purge',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM security_event WHERE id IN (
          SELECT id FROM security_event
          WHERE at < ${addMs(clock.now(), -keptMs)}::timestamptz
          ORDER BY at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
    ),
});
