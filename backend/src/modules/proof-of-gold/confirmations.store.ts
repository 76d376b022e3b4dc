import { gramsFromDatabase, gramsToDatabase, type Grams } from '../../money/index.ts';
import { execute, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';

/*
 * The accounts at the gold provider and their confirmed balances. The provider has one account for a
 * phone number, so successive owners of a number share an account.
 */

/** An account at the provider, with our balance of it. */
export interface Account {
  readonly providerUserId: string;
  /** The sum of the versions of the account's holdings, which every change of a holding raises. */
  readonly version: bigint;
  /** The grams of the account's customers, and of the house in the account. */
  readonly booked: Grams;
}

interface AccountRow extends Omit<Account, 'booked'> {
  readonly booked: string;
}

/** Selects the grams of some customers that went to the house, as a positive sum. */
const houseOf = (users: Sql): Sql => sql`
  (SELECT coalesce(-sum(m.grams), 0) FROM holding_movement m
   WHERE m.user_id IN (${users}) AND m.kind IN ('FORFEITED', 'RECOVERED'))`;

const selectAccounts = (ids: Sql): Sql => sql`
  SELECT u.provider_user_id AS "providerUserId", sum(h.version)::bigint AS version,
    (sum(h.balance) + ${houseOf(sql`
      SELECT x.id FROM app_user x WHERE x.provider_user_id = u.provider_user_id`)})::text AS booked
  FROM app_user u JOIN holding h ON h.user_id = u.id
  WHERE u.provider_user_id IN (${ids})
  GROUP BY u.provider_user_id`;

const toAccount = ({ booked, ...row }: AccountRow): Account => ({
  ...row,
  booked: gramsFromDatabase(booked),
});

/** Returns true if more than `limit` holdings ever had gold. */
export const hasMoreAccounts = async (db: Db, limit: number): Promise<boolean> => {
  const rows = await selectRows<{ n: number }>(
    db,
    sql`SELECT count(*)::int AS n FROM (
      SELECT FROM holding WHERE version > 0 LIMIT ${limit + 1}::int) AS held`,
  );
  return (rows[0]?.n ?? 0) > limit;
};

/**
 * Lists accounts after a key, in the order of their ids. An account is listed if its holdings have
 * changed since its last query, or if it was last queried before `since`.
 */
export const listUnconfirmed = async (
  db: Db,
  provider: string,
  { after, since, limit }: { readonly after: string; readonly since: Date; readonly limit: number },
): Promise<Account[]> => {
  const rows = await selectRows<AccountRow>(
    db,
    selectAccounts(sql`
      SELECT a.provider_user_id FROM (
        SELECT v.provider_user_id, sum(w.version) AS version
        FROM app_user v JOIN holding w ON w.user_id = v.id
        WHERE v.provider_user_id > ${after}
        GROUP BY v.provider_user_id) AS a
      LEFT JOIN proof_confirmation c
        ON c.provider = ${provider} AND c.provider_user_id = a.provider_user_id
      WHERE a.version > 0 AND (c.version IS DISTINCT FROM a.version
        OR c.confirmed_at < ${since}::timestamptz)
      ORDER BY a.provider_user_id LIMIT ${limit}::int`),
  );
  return rows
    .map(toAccount)
    .toSorted((one, other) => (one.providerUserId < other.providerUserId ? -1 : 1));
};

/** Stores the provider's answers, except for accounts whose holdings have changed in the meantime. */
export const upsertConfirmations = async (
  db: Db,
  provider: string,
  answers: readonly { readonly item: Account; readonly answer: Grams }[],
  now: Date,
): Promise<void> => {
  if (answers.length === 0) return;
  await execute(
    db,
    sql`
      INSERT INTO proof_confirmation
        (provider, provider_user_id, version, grams, booked, confirmed_at)
      SELECT ${provider}, a.id, a.version, a.grams, a.booked, ${now}::timestamptz
      FROM unnest(${answers.map(({ item }) => item.providerUserId)}::text[],
        ${answers.map(({ item }) => String(item.version))}::bigint[],
        ${answers.map(({ answer }) => gramsToDatabase(answer))}::numeric[],
        ${answers.map(({ item }) => gramsToDatabase(item.booked))}::numeric[])
        AS a (id, version, grams, booked)
      WHERE a.version = (
        SELECT sum(h.version) FROM app_user u JOIN holding h ON h.user_id = u.id
        WHERE u.provider_user_id = a.id)
      ON CONFLICT (provider, provider_user_id) DO UPDATE
        SET version = excluded.version, grams = excluded.grams, booked = excluded.booked,
          confirmed_at = excluded.confirmed_at`,
  );
};
