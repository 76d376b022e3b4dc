import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';

/** Keeps ended sessions for whoever investigates a misuse. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Deletes sessions of portal users that ended long ago. */
export const createPortalSessionPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-portal-sessions',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM portal_session WHERE id IN (
          SELECT id FROM portal_session
          WHERE expires_at < ${addMs(clock.now(), -keptMs)}::timestamptz
          ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
    ),
});
