import { addMs } from '../../platform/clock/clock.ts';
import { joinSql, noSql, selectOne, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type Between, type Page } from '../../platform/http/index.ts';

/** A kind of rows whose counts are kept, and the tables that keep them. */
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

/**
 * The columns by which the counts of a list distinguish rows: kinds, states and times of creation.
 */
interface CountedPart extends Between {
  readonly kinds: readonly [CountedKind, ...CountedKind[]];
  readonly statuses?: readonly string[] | undefined;
}

/** The bounds of a page's rows, by their time, and how many of these lie before the page. */
interface Bounds {
  readonly createdAt: { readonly gte?: Date; readonly lt?: Date };
}
interface Readers<Row> {
  /** Counts the rows of a part of one day. */
  readonly countRows: (bounds: Bounds) => Promise<number>;
  /** Reads rows, newest first. */
  readonly readRows: (
    bounds: Bounds,
    cut: { readonly skip: number; readonly take: number },
  ) => Promise<readonly Row[]>;
}

const dayMs = 24 * 60 * 60_000;
const startOfDay = (at: Date): Date => addMs(at, -(at.getTime() % dayMs));
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the days (UTC) of which only a part lies between `from` and `to`, each with that part. */
const partialDays = ({ from, to }: Between) => {
  const days = [from, to].filter((at) => at !== undefined).map(startOfDay);
  return days
    .filter((day, index) => days.findIndex((other) => +other === +day) === index)
    .map((day) => {
      const end = addMs(day, dayMs);
      return { day, from: from && from > day ? from : day, to: to && to < end ? to : end };
    })
    .filter((part) => part.from < part.to && +part.to - +part.from < dayMs);
};

const placeSql = (
  { kinds, statuses, from, to }: CountedPart,
  partial: readonly { readonly day: Date; readonly count: number }[],
  offset: number,
): Sql => {
  const parted = partial.map(({ day }) => sql`${dayOf(day)}::date`);
  const where = sql`kind = ANY (${[...kinds]}::text[])
    ${statuses === undefined ? noSql : sql`AND status = ANY (${[...statuses]}::text[])`}
    ${from === undefined ? noSql : sql`AND day >= ${dayOf(from)}::date`}
    ${to === undefined ? noSql : sql`AND day <= ${dayOf(addMs(to, -1))}::date`}
    ${parted.length === 0 ? noSql : sql`AND day NOT IN (${joinSql(parted)})`}`;
  const isList = tablesOf[kinds[0]] === 'list';
  const [total, change] = isList
    ? [sql`list_total`, sql`list_change`]
    : [sql`transaction_total`, sql`transaction_change`];
  // As int, whose sums are no numerics: a list has fewer than 2^31 rows.
  const counts = [
    sql`SELECT day, count::int FROM ${total} WHERE ${where}`,
    sql`SELECT day, change FROM ${change} WHERE ${where}`,
    ...partial.map(({ day, count }) => sql`SELECT ${dayOf(day)}::date, ${count}::int`),
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

interface Place {
  readonly total: number;
  /** The end of the day in which the page begins, or null where the page is behind the last one. */
  readonly dayEnd: Date | null;
  /** Rows of newer days. */
  readonly newer: number;
}

/**
 * Reads a page of a list, newest first, and how many rows there are, by the counts of days that
 * triggers keep. Its cost depends on the days and on the rows of the day in which the page begins,
 * not on how many rows there are nor on how far back the page is. Rows that only a part of a day
 * adds are counted.
 */
export const readCountedPage = async <Row>(
  db: Db,
  part: CountedPart,
  page: Page,
  { countRows, readRows }: Readers<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> => {
  const { from, to } = part;
  if (from !== undefined && to !== undefined && from >= to) return { rows: [], total: 0 };
  const partial = await Promise.all(
    partialDays(part).map(async ({ day, ...ends }) => ({
      day,
      count: await countRows({ createdAt: { gte: ends.from, lt: ends.to } }),
    })),
  );
  const offset = offsetOf(page);
  const place = await selectOne<Place>(db, placeSql(part, partial, offset));
  if (place === undefined || place.dayEnd === null) return { rows: [], total: place?.total ?? 0 };
  const { dayEnd, newer, total } = place;
  const bounds = {
    createdAt: {
      ...(from !== undefined && { gte: from }),
      lt: to !== undefined && to < dayEnd ? to : dayEnd,
    },
  };
  const rows = await readRows(bounds, { skip: offset - newer, take: page.limit });
  return { rows, total };
};
