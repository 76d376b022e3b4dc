import { gramsFromDatabase, paise, type DatabaseDecimal } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import {
  joinSql,
  noSql,
  selectOne,
  selectRows,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import { offsetOf, type Between, type Page } from '../../platform/http/index.ts';
import type { Transaction } from './transactions.types.ts';

/** The place of a page in a customer's feed. */
interface Place {
  /** The total number of rows. */
  readonly total: number;
  /** The end of the day in which the page begins, or null if the page is after the last row. */
  readonly dayEnd: Date | null;
  /** The number of rows of newer days. */
  readonly newer: number;
}

/** A part of a customer's feed. */
interface FeedPart extends Between {
  readonly userId: string;
}

const sourceTables = [sql`gold_order`, sql`product_order`, sql`payout`];
const utcDay = (at: Date): Sql => sql`(${at}::timestamptz AT TIME ZONE 'UTC')::date`;
const dayMs = 24 * 60 * 60_000;
const startOfDay = (at: Date): Date => addMs(at, -(at.getTime() % dayMs));

/** Selects a UTC day, with the number of its rows from `from` to `to`. */
const partCountSql = (userId: string, from: Date, to: Date): Sql => {
  const counts = sourceTables.map(
    (table) => sql`(SELECT count(*) FROM ${table} WHERE user_id = ${userId}::uuid
      AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz)`,
  );
  return sql`SELECT ${utcDay(from)} AS day, (${joinSql(counts, ' + ')})::int AS count`;
};

/** Returns the parts of the first and the last UTC day that lie between `from` and `to`. */
const partsOf = ({ from, to }: Between): readonly { readonly from: Date; readonly to: Date }[] => {
  const days = [from, to].filter((at) => at !== undefined).map(startOfDay);
  return days
    .filter((day, index) => days.findIndex((other) => +other === +day) === index)
    .map((day) => {
      const end = addMs(day, dayMs);
      return { from: from && from > day ? from : day, to: to && to < end ? to : end };
    })
    .filter((part) => part.from < part.to);
};

/**
 * Selects the customer's days and their counts. The counts of whole days are stored by triggers. The
 * counts of the first and the last day are counted from the rows between `from` and `to`.
 */
const dayCountsSql = ({ userId, from, to }: FeedPart): Sql => {
  const wholeDays = sql`
    SELECT day, count FROM transaction_count WHERE user_id = ${userId}::uuid
    ${from === undefined ? noSql : sql`AND day > ${utcDay(from)}`}
    ${to === undefined ? noSql : sql`AND day < ${utcDay(to)}`}`;
  const parts = partsOf({ from, to }).map((part) => partCountSql(userId, part.from, part.to));
  return joinSql([wholeDays, ...parts], ' UNION ALL ');
};

/**
 * Finds the place of a page by the counts of the customer's days, which are far fewer than the rows.
 * Triggers store the counts, so only the rows of a first and last day are counted here. The days are
 * read from the newest to the page's. Only the total reads all days (benchmarks.md).
 */
export const findPlace = async (db: Db, part: FeedPart, offset: number): Promise<Place> => {
  const place = await selectOne<Place>(
    db,
    sql`
      WITH counted AS (${dayCountsSql(part)})
      SELECT days.total, coalesce(place.newer, 0)::int AS newer,
        (place.day + 1)::timestamp AT TIME ZONE 'UTC' AS "dayEnd"
      FROM (SELECT coalesce(sum(count), 0)::int AS total FROM counted) AS days
      LEFT JOIN LATERAL (
        SELECT day, newer FROM (
          SELECT day, count, sum(count) OVER newest_first - count AS newer FROM counted
          WINDOW newest_first AS (ORDER BY day DESC ROWS UNBOUNDED PRECEDING)) AS running
        WHERE newer + count > ${offset}::int ORDER BY day DESC LIMIT 1) AS place ON true`,
  );
  return place ?? { total: 0, dayEnd: null, newer: 0 };
};

type Row = Omit<Transaction, 'amountPaise' | 'grams'> & {
  readonly amountPaise: bigint;
  readonly grams: DatabaseDecimal | null;
};

/**
 * The grams of a row of `gold_order`. They are null for an installment that is not allocated,
 * because its next verify may replace them (contract: plans > Installments).
 */
export const knownGrams = sql`
  CASE WHEN type <> 'SIP_INSTALLMENT' OR allocated_at IS NOT NULL THEN grams END`;
const goldOrders = sql`
  SELECT id, CASE type WHEN 'BUY' THEN 'GOLD_BUY' WHEN 'SELL' THEN 'GOLD_SELL' ELSE type END AS kind,
    status, amount_paise AS "amountPaise", ${knownGrams} AS grams, created_at AS "createdAt"
  FROM gold_order`;
const productOrders = sql`
  SELECT id, 'PRODUCT_ORDER', status, total_paise, NULL, created_at FROM product_order`;
const payouts = sql`
  SELECT id, 'PAYOUT', status, amount_paise, NULL, created_at FROM payout`;

/**
 * Selects `limit` rows before `dayEnd`, newest first, after the first `skip`. Each table contributes
 * at most `skip + limit` rows, which its index finds.
 */
export const pageSql = (
  { userId, from, to }: FeedPart,
  { dayEnd, skip, limit }: { readonly dayEnd: Date; readonly skip: number; readonly limit: number },
): Sql => {
  const end = to !== undefined && to < dayEnd ? to : dayEnd;
  const startCondition = from === undefined ? noSql : sql`AND created_at >= ${from}::timestamptz`;
  const newestOf = (table: Sql): Sql => sql`
    (${table} WHERE user_id = ${userId}::uuid AND created_at < ${end}::timestamptz ${startCondition}
     ORDER BY created_at DESC, id DESC LIMIT ${skip + limit}::int)`;
  return sql`
    SELECT * FROM (
      ${newestOf(goldOrders)} UNION ALL ${newestOf(productOrders)} UNION ALL ${newestOf(payouts)}
    ) AS feed
    ORDER BY "createdAt" DESC, id DESC LIMIT ${limit}::int OFFSET ${skip}::int`;
};

/**
 * Returns a page of a customer's gold orders, product orders and payouts between two times, newest
 * first, and their total number. The cost depends on the page's size, the number of the customer's
 * days and the rows of one day. It does not depend on the total number of rows or the page's number.
 */
export const listTransactions = async (
  db: Db,
  part: FeedPart,
  page: Page,
): Promise<{ readonly rows: readonly Transaction[]; readonly total: number }> => {
  const { from, to } = part;
  if (from !== undefined && to !== undefined && from >= to) return { rows: [], total: 0 };
  const offset = offsetOf(page);
  const { total, dayEnd, newer } = await findPlace(db, part, offset);
  if (dayEnd === null) return { rows: [], total };
  const place = { dayEnd, skip: offset - newer, limit: page.limit };
  const rows = await selectRows<Row>(db, pageSql(part, place));
  return {
    rows: rows.map((row) => ({
      ...row,
      amountPaise: paise(row.amountPaise),
      grams: row.grams === null ? null : gramsFromDatabase(row.grams),
    })),
    total,
  };
};
