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

/** The newest day that holds rows of a page, and what lies before the page. */
interface Place {
  readonly total: number;
  /** The end of the day in which the page begins, or null where the page is behind the last one. */
  readonly dayEnd: Date | null;
  /** Rows of newer days. */
  readonly newer: number;
}

/** Whose feed, and which part of it. */
interface FeedPart extends Between {
  readonly userId: string;
}

const sourceTables = [sql`gold_order`, sql`product_order`, sql`payout`];
const utcDay = (at: Date): Sql => sql`(${at}::timestamptz AT TIME ZONE 'UTC')::date`;
const dayMs = 24 * 60 * 60_000;
const startOfDay = (at: Date): Date => addMs(at, -(at.getTime() % dayMs));

/** Selects a day (UTC) of which a part is wanted, with the count of its rows in that part. */
const partOfDay = (userId: string, from: Date, to: Date): Sql => {
  const counts = sourceTables.map(
    (table) => sql`(SELECT count(*) FROM ${table} WHERE user_id = ${userId}::uuid
      AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz)`,
  );
  return sql`SELECT ${utcDay(from)} AS day, (${joinSql(counts, ' + ')})::int AS count`;
};

/** Returns the parts of days at the ends of what is wanted, at most two. */
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
 * Selects the customer's days and their counts: of whole days as triggers keep them, and of those
 * of which a part is wanted from that part's rows.
 */
const countedDays = ({ userId, from, to }: FeedPart): Sql => {
  const whole = sql`
    SELECT day, count FROM transaction_count WHERE user_id = ${userId}::uuid
    ${from === undefined ? noSql : sql`AND day > ${utcDay(from)}`}
    ${to === undefined ? noSql : sql`AND day < ${utcDay(to)}`}`;
  const parts = partsOf({ from, to }).map((part) => partOfDay(userId, part.from, part.to));
  return joinSql([whole, ...parts], ' UNION ALL ');
};

/**
 * Finds a page by the counts of the customer's days, which are few where the rows are many. They
 * are kept by triggers, so no row is counted here but those of a day of which a part is wanted. The
 * days are read from the newest, no further than to the page. The total is the one figure that
 * reads them all (benchmarks.md).
 */
export const findPlace = async (db: Db, part: FeedPart, offset: number): Promise<Place> => {
  const place = await selectOne<Place>(
    db,
    sql`
      WITH counted AS (${countedDays(part)})
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
 * The grams of a row of `gold_order`, or null for an installment without its gold, whose row holds
 * at most the verify of a moment (contract: plans > Installments).
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
 * Selects rows `skip` to `skip + limit` of those before `dayEnd`. Each table gives no more of its
 * newest rows than that, by its own index.
 */
export const pageSql = (
  { userId, from, to }: FeedPart,
  { dayEnd, skip, limit }: { readonly dayEnd: Date; readonly skip: number; readonly limit: number },
): Sql => {
  const before = to !== undefined && to < dayEnd ? to : dayEnd;
  const since = from === undefined ? noSql : sql`AND created_at >= ${from}::timestamptz`;
  const newestOf = (table: Sql): Sql => sql`
    (${table} WHERE user_id = ${userId}::uuid AND created_at < ${before}::timestamptz ${since}
     ORDER BY created_at DESC, id DESC LIMIT ${skip + limit}::int)`;
  return sql`
    SELECT * FROM (
      ${newestOf(goldOrders)} UNION ALL ${newestOf(productOrders)} UNION ALL ${newestOf(payouts)}
    ) AS feed
    ORDER BY "createdAt" DESC, id DESC LIMIT ${limit}::int OFFSET ${skip}::int`;
};

/**
 * Returns a page of a customer's gold orders, product orders and payouts between two moments,
 * newest first, and how many there are. Its cost depends on the page's size, the customer's days and
 * the rows of one day, not on how many rows there are nor on how far back the page is.
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
