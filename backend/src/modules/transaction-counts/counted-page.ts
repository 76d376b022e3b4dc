import { addMs } from '../../platform/clock/clock.ts';
import { joinSql, noSql, selectOne, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type Between, type Page } from '../../platform/http/index.ts';

/** Names the pair of tables that has the counts of each kind: `transaction_…` or `list_…`. */
const tablesOf = {
  GOLD_BUY: 'transaction',
  GOLD_SELL: 'transaction',
  SIP_INSTALLMENT: 'transaction',
  PRODUCT_ORDER: 'transaction',
  PAYOUT: 'transaction',
  SIP_PLAN: 'list',
  REFERRAL_REWARD: 'list',
} as const;
type CountedKind = keyof typeof tablesOf;

/** The filter of a list: the kinds, states and times of creation of its rows. */
interface CountedPart extends Between {
  readonly kinds: readonly [CountedKind, ...CountedKind[]];
  readonly statuses?: readonly string[] | undefined;
}

/** The times of creation between which rows are read or counted. */
interface Bounds {
  readonly createdAt: { readonly gte?: Date; readonly lt?: Date };
}

interface Readers<Row> {
  /** Counts rows of one day. */
  readonly countRows: (bounds: Bounds) => Promise<number>;
  /** Reads rows, newest first. */
  readonly readRows: (
    bounds: Bounds,
    slice: { readonly skip: number; readonly take: number },
  ) => Promise<readonly Row[]>;
}

const dayMs = 24 * 60 * 60_000;
const startOfDay = (at: Date): Date => addMs(at, -(at.getTime() % dayMs));
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the UTC days that lie only partly between `from` and `to`, each with that part. */
const partialDays = ({ from, to }: Between) => {
  const days = [from, to].filter((at) => at !== undefined).map(startOfDay);
  return days
    .filter((day, index) => days.findIndex((earlier) => +earlier === +day) === index)
    .map((day) => {
      const end = addMs(day, dayMs);
      return { day, from: from && from > day ? from : day, to: to && to < end ? to : end };
    })
    .filter((part) => part.from < part.to && +part.to - +part.from < dayMs);
};

/**
 * Finds the day in which a page begins, by the counts of days. The counts of partial days are given,
 * since the tables have counts of whole days only.
 */
const pageStartSql = (
  { kinds, statuses, from, to }: CountedPart,
  partialCounts: readonly { readonly day: Date; readonly count: number }[],
  offset: number,
): Sql => {
  const excludedDays = partialCounts.map(({ day }) => sql`${dayOf(day)}::date`);
  const where = sql`kind = ANY (${[...kinds]}::text[])
    ${statuses === undefined ? noSql : sql`AND status = ANY (${[...statuses]}::text[])`}
    ${from === undefined ? noSql : sql`AND day >= ${dayOf(from)}::date`}
    ${to === undefined ? noSql : sql`AND day <= ${dayOf(addMs(to, -1))}::date`}
    ${excludedDays.length === 0 ? noSql : sql`AND day NOT IN (${joinSql(excludedDays)})`}`;
  const isList = tablesOf[kinds[0]] === 'list';
  const [total, change] = isList
    ? [sql`list_total`, sql`list_change`]
    : [sql`transaction_total`, sql`transaction_change`];
  // Counts are cast to int, since a sum of bigint is a numeric. A list has fewer than 2^31 rows.
  const counts = [
    sql`SELECT day, count::int FROM ${total} WHERE ${where}`,
    sql`SELECT day, change FROM ${change} WHERE ${where}`,
    ...partialCounts.map(({ day, count }) => sql`SELECT ${dayOf(day)}::date, ${count}::int`),
  ];
  return sql`
    WITH running AS MATERIALIZED (
      SELECT day, count, sum(count) OVER (ORDER BY day DESC) - count AS newer FROM (
        SELECT day, sum(count)::int AS count
        FROM (${joinSql(counts, ' UNION ALL ')}) AS counted (day, count)
        GROUP BY day HAVING sum(count) > 0) AS days)
    SELECT whole.total, coalesce(place.newer, 0)::int AS newer,
      (place.day + 1)::timestamp AT TIME ZONE 'UTC' AS "dayEnd"
    FROM (SELECT coalesce(sum(count), 0)::int AS total FROM running) AS whole
    LEFT JOIN LATERAL (
      SELECT day, newer FROM running WHERE newer + count > ${offset}::int
      ORDER BY day DESC LIMIT 1) AS place ON true`;
};

interface PageStart {
  /** The number of all rows of the list. */
  readonly total: number;
  /** The end of the day in which the page begins, or null if the list ends before the page. */
  readonly dayEnd: Date | null;
  /** The number of rows of newer days. */
  readonly newer: number;
}

/**
 * Returns a page of a list, newest first, and the number of all its rows. It finds the page by the
 * counts of days, which triggers keep. So its cost depends on the number of days and on the rows of
 * the day in which the page begins, and not on the number of all rows. Only the rows of partial
 * days are counted one by one.
 */
export const readCountedPage = async <Row>(
  db: Db,
  part: CountedPart,
  page: Page,
  { countRows, readRows }: Readers<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> => {
  const { from, to } = part;
  if (from !== undefined && to !== undefined && from >= to) return { rows: [], total: 0 };
  const partialCounts = await Promise.all(
    partialDays(part).map(async ({ day, ...interval }) => ({
      day,
      count: await countRows({ createdAt: { gte: interval.from, lt: interval.to } }),
    })),
  );
  const offset = offsetOf(page);
  const start = await selectOne<PageStart>(db, pageStartSql(part, partialCounts, offset));
  if (start === undefined || start.dayEnd === null) return { rows: [], total: start?.total ?? 0 };
  const { dayEnd, newer, total } = start;
  const bounds = {
    createdAt: {
      ...(from !== undefined && { gte: from }),
      lt: to !== undefined && to < dayEnd ? to : dayEnd,
    },
  };
  const rows = await readRows(bounds, { skip: offset - newer, take: page.limit });
  return { rows, total };
};
