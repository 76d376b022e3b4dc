import { addGrams, gramsFromDatabase, gramsToDatabase, type Grams } from '../../money/index.ts';
import { selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { RefusalDetail } from './proof.types.ts';

/*
 * The comparison reads the tables of other modules by its own read-only statements, as
 * reconciliation does.
 */

/** Both sides of a balance that agrees. */
export interface Balance {
  readonly accounts: number;
  readonly liabilities: Grams;
  readonly confirmed: Grams;
  /** The gold of the house in customers' accounts at the provider. */
  readonly house: Grams;
  /** The grams by which the provider differs, since the outcomes of some trades are unknown. */
  readonly open: Grams;
  readonly confirmedAccounts: number;
  readonly oldestConfirmation: Date | null;
}

/**
 * Selects our balance of each account at the provider, and the difference of the provider's answer
 * (`off`). The answer may or may not include trades with an unknown outcome. `least` and `most` are
 * the differences that these trades can explain. A trade after the answer changes both sides alike,
 * since the provider has confirmed it, so the difference at the time of the answer still counts.
 */
const accountsOf = (provider: string): Sql => sql`
  WITH held AS MATERIALIZED (
    SELECT u.provider_user_id AS account, sum(h.balance) AS balance, sum(h.version) AS version,
      max(h.updated_at) AS changed_at, min(h.user_id::text)::uuid AS user_id
    FROM holding h JOIN app_user u ON u.id = h.user_id
    WHERE h.version > 0
    GROUP BY u.provider_user_id),
  house AS MATERIALIZED (
    SELECT u.provider_user_id AS account, -sum(m.grams) AS grams
    FROM holding_movement m JOIN app_user u ON u.id = m.user_id
    WHERE m.kind IN ('FORFEITED', 'RECOVERED')
    GROUP BY u.provider_user_id),
  undecided AS MATERIALIZED (
    SELECT DISTINCT order_id AS id FROM provider_operation
    WHERE status IN ('INTENDED', 'UNKNOWN') AND order_id IS NOT NULL),
  open AS MATERIALIZED (
    SELECT u.provider_user_id AS account,
      coalesce(sum(o.grams) FILTER (WHERE o.type <> 'SELL' AND o.allocated_at IS NULL), 0) AS buys,
      coalesce(sum(o.grams) FILTER (WHERE o.type = 'SELL' AND o.status = 'VERIFIED'), 0) AS sells,
      coalesce(bool_or(o.status = 'MANUAL_REVIEW'
        AND o.manual_review_code = 'GRAMS_MISMATCH'), false) AS is_unclear
    FROM gold_order o JOIN app_user u ON u.id = o.user_id
    WHERE o.status IN ('PAID', 'RETRY_PENDING', 'VERIFIED')
      OR (o.status = 'MANUAL_REVIEW' AND o.manual_review_code = 'GRAMS_MISMATCH')
      OR o.id IN (SELECT id FROM undecided)
    GROUP BY u.provider_user_id)
  SELECT held.account, held.user_id, held.balance, coalesce(house.grams, 0) AS house,
    CASE WHEN c.version = held.version THEN c.grams - held.balance - coalesce(house.grams, 0)
      ELSE c.grams - c.booked END AS off,
    c.confirmed_at,
    -coalesce(open.sells, 0) AS least,
    CASE WHEN open.is_unclear THEN 'Infinity'::numeric ELSE coalesce(open.buys, 0) END AS most,
    c.version IS NOT DISTINCT FROM held.version AS is_fresh, held.changed_at
  FROM held
  LEFT JOIN house ON house.account = held.account
  LEFT JOIN open ON open.account = held.account
  LEFT JOIN proof_confirmation c
    ON c.provider = ${provider} AND c.provider_user_id = held.account`;

interface TotalsRow {
  readonly accounts: number;
  readonly liabilities: string;
  readonly house: string;
  readonly off: string;
  readonly differing: number;
  readonly settled: number;
  readonly confirmedAccounts: number;
  readonly oldest: Date | null;
  readonly movements: string;
}

/**
 * Matches an account that differs. An account without an answer differs if it was last changed
 * before `since`, since every account that existed then was queried.
 */
const differs = (since: Date): Sql => sql`
  (account IS NULL AND balance <> 0)
  OR (off IS NOT NULL AND (off < least OR off > most))
  OR (off IS NULL AND changed_at < ${since}::timestamptz)`;

interface SampleRow {
  readonly userId: string | null;
  readonly booked: string;
  readonly off: string;
}

const readSamples = async (
  tx: Db,
  provider: string,
  since: Date,
): Promise<RefusalDetail['samples']> => {
  const rows = await selectRows<SampleRow>(
    tx,
    sql`
      SELECT user_id AS "userId", (balance + house)::text AS booked,
        coalesce(off, -(balance + house))::text AS off
      FROM (${accountsOf(provider)}) AS account
      WHERE ${differs(since)}
      ORDER BY user_id LIMIT 20`,
  );
  return rows.map(({ userId, booked, off }) => {
    const [ours, difference] = [gramsFromDatabase(booked), gramsFromDatabase(off)];
    return {
      userId,
      booked: gramsToDatabase(ours),
      confirmed: gramsToDatabase(addGrams(ours, difference)),
      difference: gramsToDatabase(difference),
    };
  });
};

export type Compared =
  | { readonly balance: Balance }
  | { readonly detail: RefusalDetail; readonly mayAgreeAgain: boolean };

/**
 * Compares the holdings with the provider's confirmed balances. Each account is compared separately,
 * so that a surplus of one account does not hide a shortage of another. `mayAgreeAgain` is true if
 * all accounts that differ have traded since their last query, so that a new query may agree.
 */
export const compareBooks = async (
  tx: Db,
  { provider, since }: { readonly provider: string; readonly since: Date },
): Promise<Compared> => {
  const row = await selectOne<TotalsRow>(
    tx,
    sql`
      SELECT (SELECT count(*)::int FROM holding WHERE balance > 0) AS accounts,
        coalesce(sum(balance), 0)::text AS liabilities, coalesce(sum(house), 0)::text AS house,
        coalesce(sum(off), 0)::text AS off,
        count(*) FILTER (WHERE ${differs(since)})::int AS differing,
        count(*) FILTER (WHERE is_fresh AND (${differs(since)}))::int AS settled,
        count(*) FILTER (WHERE off IS NOT NULL)::int AS "confirmedAccounts",
        min(confirmed_at) AS oldest,
        (SELECT coalesce(sum(m.grams), 0)::text FROM holding_movement m) AS movements
      FROM (${accountsOf(provider)}) AS account`,
  );
  invariant(row, 'sums have a row');
  const liabilities = gramsFromDatabase(row.liabilities);
  const house = gramsFromDatabase(row.house);
  const open = gramsFromDatabase(row.off);
  const movements = gramsFromDatabase(row.movements);
  const confirmed = addGrams(liabilities, house, open);
  if (row.differing === 0 && movements === liabilities) {
    const { accounts, confirmedAccounts, oldest: oldestConfirmation } = row;
    const sums = { liabilities, confirmed, house, open };
    return { balance: { accounts, ...sums, confirmedAccounts, oldestConfirmation } };
  }
  const detail = {
    liabilities: gramsToDatabase(liabilities),
    confirmed: gramsToDatabase(confirmed),
    movements: gramsToDatabase(movements),
    accountsDiffering: row.differing,
    samples: await readSamples(tx, provider, since),
  };
  return { detail, mayAgreeAgain: row.settled === 0 && movements === liabilities };
};
