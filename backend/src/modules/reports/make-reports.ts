import { valueOf, gramsFromDatabase, paise, type DatabaseDecimal } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { type Db, selectOne, sql } from '../../platform/db/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { LivePrice, LivePriceReader } from '../price/index.ts';
import { readAttention } from './attention.read-model.ts';
import { countNewUsers, readGmv, sumOfLast } from './days.read-model.ts';
import type { OpenWork, Totals } from './reports.types.ts';

export interface ReportsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly price: Pick<LivePriceReader, 'livePrice'>;
}

/** Returns the live price, or undefined while there is none. Most figures do not need a price. */
const priceIfAny = async ({ price }: ReportsDeps): Promise<LivePrice | undefined> => {
  try {
    return await price.livePrice();
  } catch (error) {
    if (isAppError(error, 'PRICE_UNAVAILABLE')) return undefined;
    throw error;
  }
};

/** The number of days of the longest sum in the overview. */
const longestDays = 30;

/** Makes the overview of the dashboard (contract: operators > Dashboard). */
export const makeOverview = async (deps: ReportsDeps) => {
  const { db, clock } = deps;
  const now = clock.now();
  const live = await priceIfAny(deps);
  const totals = await readTotals(db);
  const open = await readOpenWork(db);
  const gmv = await readGmv(db, now, longestDays);
  return {
    totals,
    open,
    attention: await readAttention(db, now),
    new24h: await countNewUsers(db, now),
    gmv: {
      today: sumOfLast(gmv, 1),
      last7d: sumOfLast(gmv, 7),
      last30d: sumOfLast(gmv, longestDays),
    },
    live,
    valuePaise: live && valueOf(totals.grams, live.sellPaise),
  };
};
export type Overview = Awaited<ReturnType<typeof makeOverview>>;

/** Makes the report of the gold held for customers (contract: operators > Reports). */
export const makeAum = async (deps: ReportsDeps) => {
  const live = await priceIfAny(deps);
  const asOf = deps.clock.now();
  const totals = await readTotals(deps.db);
  return { asOf, totals, live, valuePaise: live && valueOf(totals.grams, live.sellPaise) };
};
export type Aum = Awaited<ReturnType<typeof makeAum>>;

interface TotalsRow {
  readonly users: number;
  readonly blockedUsers: number;
  readonly holders: number;
  readonly grams: DatabaseDecimal;
  readonly reserved: DatabaseDecimal;
  readonly investedPaise: bigint;
}

/** Returns the totals. They are maintained with every change, so at most 64 rows are read. */
const readTotals = async (db: Db): Promise<Totals> => {
  const row = await selectOne<TotalsRow>(
    db,
    sql`
      SELECT coalesce(sum(users), 0)::int AS users,
        coalesce(sum(blocked_users), 0)::int AS "blockedUsers",
        coalesce(sum(holders), 0)::int AS holders, coalesce(sum(grams), 0) AS grams,
        coalesce(sum(reserved), 0) AS reserved,
        coalesce(sum(invested_paise), 0)::bigint AS "investedPaise"
      FROM running_total`,
  );
  invariant(row, 'a sum has a row');
  return {
    ...row,
    grams: gramsFromDatabase(row.grams),
    reserved: gramsFromDatabase(row.reserved),
    investedPaise: paise(row.investedPaise),
  };
};

/** Counts the open work. It counts orders under review as the check `manual_review_open` does. */
const readOpenWork = async (db: Db): Promise<OpenWork> => {
  const row = await selectOne<
    Omit<OpenWork, 'payoutsPendingPaise'> & { readonly payoutsPendingPaise: bigint }
  >(
    db,
    sql`
      SELECT
        (SELECT count(*)::int FROM kyc_record WHERE status = 'SUBMITTED') AS "kycSubmitted",
        (SELECT count(*)::int FROM gold_order
          WHERE manual_review_code IS NOT NULL AND status IN ('MANUAL_REVIEW', 'VERIFIED'))
          AS "manualReview",
        (SELECT count(*)::int FROM gold_order WHERE status = 'RETRY_PENDING') AS "retryPending",
        count(*) FILTER (WHERE status = 'PENDING')::int AS "payoutsPending",
        coalesce(sum(amount_paise) FILTER (WHERE status = 'PENDING'), 0)::bigint
          AS "payoutsPendingPaise",
        count(*) FILTER (WHERE status = 'PROCESSING')::int AS "payoutsProcessing"
      FROM payout WHERE status IN ('PENDING', 'PROCESSING')`,
  );
  invariant(row, 'a count has a row');
  return { ...row, payoutsPendingPaise: paise(row.payoutsPendingPaise) };
};
