import { gramsFromDatabase, paise, type DatabaseDecimal } from '../../money/index.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { OpenWork, Totals } from './reports.types.ts';

interface TotalsRow {
  readonly users: number;
  readonly blockedUsers: number;
  readonly holders: number;
  readonly grams: DatabaseDecimal;
  readonly reserved: DatabaseDecimal;
  readonly investedPaise: bigint;
}

/** Returns the totals, of one moment. They are kept as they change: at most 64 rows are read. */
export const readTotals = async (db: Db): Promise<Totals> => {
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

/** Counts what waits now, by the indexes of what is open: orders under review as the check does. */
export const readOpenWork = async (db: Db): Promise<OpenWork> => {
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
