import { addMs, type Clock } from '../clock/clock.ts';
import { execute, selectOne, sql, sqlName, type Db, type InTransaction } from '../db/index.ts';
import { AppError } from '../errors/app-error.ts';
import { countTry, type CountedTries, type TryRule } from './counted-tries.ts';
import { createRowPurge, type Purge } from '../jobs/sweep.ts';
import type { LoginCaller } from './known-browsers.ts';

const minuteMs = 60_000;

/**
 * Limits the tries of all callers of one kind on an account together (contract: limits > Sign-in
 * limits).
 */
const sharedRule: TryRule = { windowMs: 30 * minuteMs, maxTries: 20, lockMs: 30 * minuteMs };

/**
 * Limits the tries at the second factor by a person who has the password. Three of a million codes
 * are valid at a time (contract: limits > Sign-in limits).
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
   * Counts a try before its password is checked, so that parallel guesses can't outrun the count.
   * @throws AppError LOGIN_LOCKED while the caller, or all of their kind, are locked.
   */
  charge(inTransaction: InTransaction, email: string, caller: LoginCaller): Promise<void>;
  /**
   * Counts a code of the second factor before it is checked, for all callers of a kind together.
   * @throws AppError LOGIN_LOCKED
   */
  chargeCode(inTransaction: InTransaction, email: string, caller: LoginCaller): Promise<void>;
  /**
   * Clears the failures of a caller who signed in, and those that all callers of the same kind
   * share.
   */
  forget(db: Db, email: string, caller: LoginCaller): Promise<void>;
  /** Removes every failure of an email, of all callers. */
  clear(db: Db, email: string): Promise<void>;
}

/** Names the row in which the tries of all callers of a kind are counted together. */
const sharedRowOf = ({ kind }: LoginCaller): string => `${kind}s`;

/** Names the row in which the codes of all callers of a kind are counted together. */
const codesRowOf = (caller: LoginCaller): string => `codes of ${sharedRowOf(caller)}`;

/** The key of a row of tries, and the time of the try. */
interface TryAtRow {
  readonly email: string;
  readonly caller: string;
  readonly now: Date;
}

/**
 * Locks a row and returns its tries, which `updateTries` then replaces. Creates the row if it is
 * missing.
 */
const lockTries = async (
  tx: Db,
  table: ReturnType<typeof sqlName>,
  { email, caller, now }: TryAtRow,
): Promise<CountedTries> => {
  // The update changes nothing. It takes the row's lock if the row already exists.
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
  { email, caller, now }: TryAtRow,
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
  { email, caller, clock }: Pick<TryAtRow, 'email' | 'caller'> & { readonly clock: Clock },
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
 * Throttles password sign-in by email and caller, whether or not the email has an account. Since
 * callers are counted separately, a stranger cannot lock an account's owner out of a browser that
 * signed in before. The table belongs to the calling module. A try counts as a failure until
 * `forget`.
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
        const shared = { ...own, caller: sharedRowOf(caller) };
        const ownTries = await lockTries(tx, table, own);
        const sharedTries = await lockTries(tx, table, shared);
        const now = clock.now();
        const verdict = countTry(ownTries, now);
        const sharedVerdict = countTry(sharedTries, now, sharedRule);
        if (verdict.kind === 'judge' && sharedVerdict.kind === 'judge') {
          await updateTries(tx, table, { ...own, now }, verdict.next);
          await updateTries(tx, table, { ...shared, now }, sharedVerdict.next);
          return 0;
        }
        return Math.max(
          ...[verdict, sharedVerdict].map((each) =>
            each.kind === 'locked' ? each.retryAfterSeconds : 0,
          ),
        );
      });
      if (retryAfterSeconds > 0) throw new AppError('LOGIN_LOCKED', { retryAfterSeconds });
    },

    async chargeCode(inTransaction, email, caller) {
      const retryAfterSeconds = await inTransaction((tx) =>
        countCode(tx, table, { email, caller: codesRowOf(caller), clock }),
      );
      if (retryAfterSeconds > 0) throw new AppError('LOGIN_LOCKED', { retryAfterSeconds });
    },

    async forget(db, email, caller) {
      const callers = [caller.id, sharedRowOf(caller), codesRowOf(caller)];
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

/**
 * Creates the purge of rows that no longer count. Every email that was ever tried has rows, even
 * without an account.
 */
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
