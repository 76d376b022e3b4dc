import { Prisma } from '../../generated/prisma/client.ts';
import { addMs, msBetween, type Clock } from '../clock/clock.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors/app-error.ts';

/** 5 failures in 15 minutes lock an email for 30 (contract: limits > Sign-in limits). */
const maxFailures = 5;
const windowMs = 15 * 60_000;
const lockMs = 30 * 60_000;
const purgeBatch = 5000;

export interface LoginGuard {
  /**
   * Counts an attempt before it is judged, so that parallel guesses can't outrun the count.
   * @throws AppError LOGIN_LOCKED while the email is locked.
   */
  charge(db: Db, email: string): Promise<void>;
  /** A success forgets the failures. */
  clear(db: Db, email: string): Promise<void>;
  /** Deletes rows that no longer matter; every email ever tried has one. */
  purge(db: Db): Promise<void>;
}

/**
 * Throttles password sign-in by email, whether or not anybody has it. `table` has the columns
 * email, failures, window_started_at and locked_until, and belongs to the calling module.
 */
export const createLoginGuard = (options: {
  readonly table: 'admin_login_guard' | 'portal_login_guard';
  readonly clock: Clock;
}): LoginGuard => {
  const { clock } = options;
  const table = Prisma.raw(options.table);
  return {
    async charge(db, email) {
      const now = clock.now();
      const windowStart = addMs(now, -windowMs);
      const lockedUntil = addMs(now, lockMs);
      // One statement decides and counts: a locked row is left as it is and answers its lock.
      const rows = await db.$queryRaw<{ locked_until: Date | null; admitted: boolean }[]>`
        WITH charged AS (
          INSERT INTO ${table} AS g (email, failures, window_started_at, locked_until)
          VALUES (${email}, 1, ${now}, NULL)
          ON CONFLICT (email) DO UPDATE SET
            failures = CASE WHEN g.window_started_at <= ${windowStart} OR g.locked_until IS NOT NULL
              THEN 1 ELSE g.failures + 1 END,
            window_started_at = CASE
              WHEN g.window_started_at <= ${windowStart} OR g.locked_until IS NOT NULL
              THEN ${now} ELSE g.window_started_at END,
            locked_until = CASE
              WHEN g.locked_until IS NULL AND g.window_started_at > ${windowStart}
                AND g.failures + 1 >= ${maxFailures}
              THEN ${lockedUntil}::timestamptz ELSE NULL END
          WHERE g.locked_until IS NULL OR g.locked_until <= ${now}
            OR g.locked_until > ${lockedUntil} -- the business clock was set back
          RETURNING g.locked_until
        )
        SELECT locked_until, true AS admitted FROM charged
        UNION ALL
        SELECT locked_until, false FROM ${table}
        WHERE email = ${email} AND NOT EXISTS (SELECT 1 FROM charged)`;
      const [row] = rows;
      if (row === undefined || row.admitted) return;
      const waitMs = row.locked_until === null ? lockMs : msBetween(now, row.locked_until);
      throw new AppError('LOGIN_LOCKED', { retryAfterSeconds: waitMs / 1000 });
    },

    async clear(db, email) {
      await db.$executeRaw`DELETE FROM ${table} WHERE email = ${email}`;
    },

    async purge(db) {
      const lapsed = addMs(clock.now(), -windowMs - lockMs);
      await db.$executeRaw`
        DELETE FROM ${table} WHERE email IN (
          SELECT email FROM ${table} WHERE window_started_at < ${lapsed}
          LIMIT ${purgeBatch}::int)`;
    },
  };
};
