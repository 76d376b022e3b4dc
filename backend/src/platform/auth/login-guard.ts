import { addMs, msBetween, type Clock } from '../clock/clock.ts';
import { execute, selectOne, sql, sqlName, type Db } from '../db/index.ts';
import { AppError } from '../errors/app-error.ts';
import { invariant } from '../invariant/invariant.ts';

/** 5 failures in 15 minutes lock an email for 30 (contract: limits > Sign-in limits). */
const maxFailures = 5;
const windowMs = 15 * 60_000;
const lockMs = 30 * 60_000;
const purgeBatch = 5000;

export interface LoginGuard {
  /**
   * Counts a try before it is judged, so that parallel guesses can't outrun the count.
   * @throws AppError LOGIN_LOCKED while the email is locked.
   */
  charge(db: Db, email: string): Promise<void>;
  /** A success forgets the failures. */
  clear(db: Db, email: string): Promise<void>;
  /** Deletes rows that no longer matter; every email ever tried has one. */
  purge(db: Db): Promise<void>;
}

interface Charged {
  readonly failures: number;
  readonly lockedUntil: Date | null;
}

/**
 * Throttles password sign-in by email, whether or not anybody has it. `table` has the columns
 * email, failures, window_started_at and locked_until, and belongs to the calling module. A try
 * counts as a failure until `clear`; one beyond the fifth is counted too, and is not judged.
 */
export const createLoginGuard = (options: {
  readonly table: 'admin_login_guard' | 'portal_login_guard';
  readonly clock: Clock;
}): LoginGuard => {
  const { clock } = options;
  const table = sqlName(options.table);
  return {
    async charge(db, email) {
      const now = clock.now();
      const lockedUntil = sql`${addMs(now, lockMs)}::timestamptz`;
      // A lock that ends later than one of now would is of before the business clock was set back.
      const startsAnew = sql`
        CASE WHEN g.locked_until IS NULL
          THEN g.window_started_at <= ${addMs(now, -windowMs)}::timestamptz
          ELSE g.locked_until <= ${now}::timestamptz OR g.locked_until > ${lockedUntil} END`;
      // It always writes the row, so it always returns it as the try before left it: a statement
      // that leaves a locked row alone answers nothing to those that waited for the lock.
      const charged = await selectOne<Charged>(
        db,
        sql`
          INSERT INTO ${table} AS g (email, failures, window_started_at, locked_until)
          VALUES (${email}, 1, ${now}::timestamptz, NULL)
          ON CONFLICT (email) DO UPDATE SET
            failures = CASE WHEN ${startsAnew} THEN 1
              ELSE least(g.failures, ${maxFailures}::int) + 1 END,
            window_started_at = CASE WHEN ${startsAnew} THEN ${now}::timestamptz
              ELSE g.window_started_at END,
            locked_until = CASE WHEN ${startsAnew} THEN NULL
              WHEN g.locked_until IS NULL AND g.failures + 1 >= ${maxFailures}::int
              THEN ${lockedUntil} ELSE g.locked_until END
          RETURNING g.failures, g.locked_until AS "lockedUntil"`,
      );
      invariant(charged, 'a charge answers the row that it wrote');
      if (charged.failures <= maxFailures) return;
      const { lockedUntil: until } = charged;
      const waitMs = until === null ? lockMs : msBetween(now, until);
      throw new AppError('LOGIN_LOCKED', { retryAfterSeconds: waitMs / 1000 });
    },

    async clear(db, email) {
      await execute(db, sql`DELETE FROM ${table} WHERE email = ${email}`);
    },

    async purge(db) {
      const lapsed = addMs(clock.now(), -windowMs - lockMs);
      await execute(
        db,
        sql`
          DELETE FROM ${table} WHERE email IN (
            SELECT email FROM ${table} WHERE window_started_at < ${lapsed}::timestamptz
            LIMIT ${purgeBatch}::int)`,
      );
    },
  };
};
