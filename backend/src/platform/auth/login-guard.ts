import { addMs, type Clock } from '../clock/clock.ts';
import { execute, selectOne, sql, sqlName, type Db, type InTransaction } from '../db/index.ts';
import { AppError } from '../errors/app-error.ts';
import { countTry, type CountedTries, type TryRule } from './counted-tries.ts';
import { createRowPurge, type Purge } from '../jobs/sweep.ts';
import type { LoginCaller } from './known-browsers.ts';

const minuteMs = 60_000;

/** Bounds what all callers of one kind may try on an account (contract: limits > Sign-in limits). */
const togetherRule: TryRule = { windowMs: 30 * minuteMs, maxTries: 20, lockMs: 30 * minuteMs };

/**
 * Bounds the attempts at the second factor by a person who has the password: three of a million
 * codes are valid at a time (contract: limits > Sign-in limits).
 */
const codeRule: TryRule = {
  windowMs: 24 * 60 * minuteMs,
  maxTries: 20,
  lockMs: 24 * 60 * minuteMs,
};

/** Keeps a row until its newest try no longer counts and its lock has ended. */
const keptMs = 45 * minuteMs;
const codesKeptMs = codeRule.lockMs + 15 * minuteMs;

export interface LoginGuard {
  /**
   * Counts a try before it is judged, so that parallel guesses can't outrun the count.
   * @throws AppError LOGIN_LOCKED while the caller, or all of their kind, are locked.
   */
  charge(inTransaction: InTransaction, email: string, caller: LoginCaller): Promise<void>;
  /**
   * Counts a code of the second factor, likewise, for all callers of a kind together.
   * @throws AppError LOGIN_LOCKED
   */
  chargeCode(inTransaction: InTransaction, email: string, caller: LoginCaller): Promise<void>;
  /** A success clears the failures of its caller, and those that all callers of its kind share. */
  forget(db: Db, email: string, caller: LoginCaller): Promise<void>;
  /** Removes every failure of an email, of all callers. */
  clear(db: Db, email: string): Promise<void>;
}

/** Names the row in which the tries of all callers of a kind are counted together. */
const togetherOf = ({ kind }: LoginCaller): string => `${kind}s`;

/** Names the row in which their codes are. */
const codesOf = (caller: LoginCaller): string => `codes of ${togetherOf(caller)}`;

/** A row of tries, at a moment. */
interface TriedAt {
  readonly email: string;
  readonly caller: string;
  readonly now: Date;
}

/** Returns the times counted at one row, written back by `save`. */
const lockTries = async (
  tx: Db,
  table: ReturnType<typeof sqlName>,
  { email, caller, now }: TriedAt,
): Promise<CountedTries> => {
  // The update changes nothing but takes the row's lock, whether or not the row was there.
  const row = await selectOne<CountedTries>(
    tx,
    sql`
      INSERT INTO ${table} (email, caller, touched_at)
      VALUES (${email}, ${caller}, ${now}::timestamptz)
      ON CONFLICT (email, caller) DO UPDATE SET caller = EXCLUDED.caller
      RETURNING tried_at AS "triedAt", locked_until AS "lockedUntil"`,
  );
  return row ?? { triedAt: [], lockedUntil: null };
};

const updateTries = async (
  tx: Db,
  table: ReturnType<typeof sqlName>,
  { email, caller, now }: TriedAt,
  { triedAt, lockedUntil }: CountedTries,
): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE ${table} SET
        tried_at = ${triedAt}::timestamptz[],
        locked_until = ${lockedUntil}::timestamptz,
        touched_at = ${now}::timestamptz
      WHERE email = ${email} AND caller = ${caller}`,
  );
};

/** Counts a code at its row, and returns for how many seconds the row is locked. */
const countCode = async (
  tx: Db,
  table: ReturnType<typeof sqlName>,
  { email, caller, clock }: Pick<TriedAt, 'email' | 'caller'> & { readonly clock: Clock },
): Promise<number> => {
  const tries = await lockTries(tx, table, { email, caller, now: clock.now() });
  const now = clock.now();
  const verdict = countTry(tries, now, codeRule);
  if (verdict.kind === 'locked') return verdict.retryAfterSeconds;
  await updateTries(tx, table, { email, caller, now }, verdict.next);
  return 0;
};

const tableOf = (api: 'admin' | 'portal'): string => `${api}_login_caller`;

/**
 * Throttles password sign-in by email and caller, whether or not the email has an account. So a
 * stranger cannot lock an account's owner out of a browser that signed in before. The table belongs
 * to the calling module. A try counts as a failure until `forget`.
 */
export const createLoginGuard = (options: {
  readonly api: 'admin' | 'portal';
  readonly clock: Clock;
}): LoginGuard => {
  const { clock } = options;
  const table = sqlName(tableOf(options.api));

  return {
    async charge(inTransaction, email, caller) {
      const retryAfterSeconds = await inTransaction(async (tx) => {
        // The rows are always locked in this order, so no two tries wait for each other.
        const own = { email, caller: caller.id, now: clock.now() };
        const all = { ...own, caller: togetherOf(caller) };
        const ownTries = await lockTries(tx, table, own);
        const allTries = await lockTries(tx, table, all);
        const now = clock.now();
        const verdict = countTry(ownTries, now);
        const together = countTry(allTries, now, togetherRule);
        if (verdict.kind === 'judge' && together.kind === 'judge') {
          await updateTries(tx, table, { ...own, now }, verdict.next);
          await updateTries(tx, table, { ...all, now }, together.next);
          return 0;
        }
        return Math.max(
          ...[verdict, together].map((each) =>
            each.kind === 'locked' ? each.retryAfterSeconds : 0,
          ),
        );
      });
      if (retryAfterSeconds > 0) throw new AppError('LOGIN_LOCKED', { retryAfterSeconds });
    },

    async chargeCode(inTransaction, email, caller) {
      const retryAfterSeconds = await inTransaction((tx) =>
        countCode(tx, table, { email, caller: codesOf(caller), clock }),
      );
      if (retryAfterSeconds > 0) throw new AppError('LOGIN_LOCKED', { retryAfterSeconds });
    },

    async forget(db, email, caller) {
      const callers = [caller.id, togetherOf(caller), codesOf(caller)];
      await execute(
        db,
        sql`DELETE FROM ${table} WHERE email = ${email} AND caller = ANY (${callers})`,
      );
    },

    async clear(db, email) {
      await execute(db, sql`DELETE FROM ${table} WHERE email = ${email}`);
    },
  };
};

/** Creates the purge of rows that no longer matter: every email ever tried has some. */
export const createLoginPurge = ({
  api,
  name,
  db,
  clock,
}: {
  readonly api: 'admin' | 'portal';
  readonly name: string;
  readonly db: Db;
  readonly clock: Clock;
}): Purge =>
  createRowPurge(db, {
    name,
    table: tableOf(api),
    lapsed: () => sql`
      touched_at < ${addMs(clock.now(), -keptMs)}::timestamptz
      AND (caller NOT LIKE 'codes of %'
        OR touched_at < ${addMs(clock.now(), -codesKeptMs)}::timestamptz)`,
  });
