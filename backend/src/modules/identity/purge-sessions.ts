import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';

/** Keeps ended sessions for whoever investigates a theft. */
const endedSessionsKeptMs = 30 * 24 * 60 * 60_000;

/**
 * Deletes used refresh tokens that could not be used any more either way, then sessions that ended
 * long ago. A session goes after its tokens: one presented again still ends its family.
 */
export const createSessionPurges = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): readonly Purge[] => [
  {
    name: 'purge-used-refresh-tokens',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM used_refresh_token WHERE token_hash IN (
            SELECT token_hash FROM used_refresh_token
            WHERE expires_at < ${clock.now()}::timestamptz
            ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
  {
    name: 'purge-sessions',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM session WHERE id IN (
            SELECT s.id FROM session s
            WHERE s.expires_at < ${addMs(clock.now(), -endedSessionsKeptMs)}::timestamptz
              AND NOT EXISTS (SELECT FROM used_refresh_token u WHERE u.session_id = s.id)
            ORDER BY s.expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
];
