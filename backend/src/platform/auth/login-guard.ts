import { addMs, type Clock } from '../clock/clock.ts';
import { execute, selectOne, sql, sqlName, type Db, type InTransaction } from '../db/index.ts';
import { AppError } from '../errors/app-error.ts';
import { invariant } from '../invariant/invariant.ts';
import { countTry, type CountedTries } from './counted-tries.ts';

/** Keeps a row until its newest try no longer counts and its lock has ended. */
const keptMs = 45 * 60_000;

export interface LoginGuard {
  /**
   * Counts a try before it is judged, so that parallel guesses can't outrun the count.
   * @throws AppError LOGIN_LOCKED while the email is locked.
   */
  charge(inTransaction: InTransaction, email: string): Promise<void>;
  /** A success forgets the failures. */
  clear(db: Db, email: string): Promise<void>;
  /**
   * Deletes at most `limit` rows that no longer matter, and returns how many: every email ever tried
   * has one.
   */
  deleteLapsed(db: Db, limit: number): Promise<number>;
}

/**
 * Throttles password sign-in by email, whether or not anybody has it. `table` has the columns
 * email, tried_at, locked_until, failures and window_started_at, and belongs to the calling module.
 * A try counts as a failure until `clear`.
 */
export const createLoginGuard = (options: {
  readonly table: 'admin_login_guard' | 'portal_login_guard';
  readonly clock: Clock;
}): LoginGuard => {
  const { clock } = options;
  const table = sqlName(options.table);

  /** Locks the row of an email until the transaction ends, whether or not it was there. */
  const lockTries = async (tx: Db, email: string): Promise<CountedTries> => {
    const row = await selectOne<CountedTries>(
      tx,
      sql`
        INSERT INTO ${table} (email, window_started_at)
        VALUES (${email}, ${clock.now()}::timestamptz)
        ON CONFLICT (email) DO UPDATE SET email = EXCLUDED.email
        RETURNING tried_at AS "triedAt", locked_until AS "lockedUntil"`,
    );
    invariant(row, 'the row of an email is returned as it is locked');
    return row;
  };

  /** The version before this one counts by failures and window_started_at: they say the same. */
  const saveTries = async (tx: Db, email: string, { triedAt, lockedUntil }: CountedTries) => {
    await execute(
      tx,
      sql`
        UPDATE ${table} SET
          tried_at = ${triedAt}::timestamptz[],
          locked_until = ${lockedUntil}::timestamptz,
          failures = ${triedAt.length}::int,
          window_started_at = ${triedAt[0]}::timestamptz
        WHERE email = ${email}`,
    );
  };

  return {
    async charge(inTransaction, email) {
      const counted = await inTransaction(async (tx) => {
        const verdict = countTry(await lockTries(tx, email), clock.now());
        if (verdict.kind === 'judge') await saveTries(tx, email, verdict.next);
        return verdict;
      });
      if (counted.kind === 'judge') return;
      throw new AppError('LOGIN_LOCKED', { retryAfterSeconds: counted.retryAfterSeconds });
    },

    async clear(db, email) {
      await execute(db, sql`DELETE FROM ${table} WHERE email = ${email}`);
    },

    deleteLapsed: (db, limit) =>
      execute(
        db,
        sql`
          DELETE FROM ${table} WHERE email IN (
            SELECT email FROM ${table}
            WHERE window_started_at < ${addMs(clock.now(), -keptMs)}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  };
};
