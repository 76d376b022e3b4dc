import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { createPortalLoginGuard } from './portal-sign-in.ts';

/** Deletes expired counts of portal users' failed sign-ins. */
export const createPortalSignInPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => {
  const guard = createPortalLoginGuard(clock);
  return {
    name: 'accounting-purge-sign-ins',
    deleteBatch: (limit) => guard.deleteLapsed(db, limit),
  };
};

/** Keeps ended sessions for whoever investigates a misuse. */
const keptMs = 30 * 24 * 60 * 60000;

/** Deletes sessions of portal users that ended long ago. */
export const createPortalSessionPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'accounting-purge-sessions',
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
