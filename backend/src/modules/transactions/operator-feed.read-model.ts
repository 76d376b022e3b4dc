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
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { knownGrams } from './transactions.read-model.ts';
import type { OperatorTransaction, TransactionKind } from './transactions.types.ts';

interface FeedFilter {
  readonly kind?: TransactionKind | undefined;
  readonly status?: string | undefined;
  readonly userId?: string | undefined;
  /** The inclusive start of the range. */
  readonly from?: Date | undefined;
  /** The exclusive end of the range. */
  readonly to?: Date | undefined;
  readonly minPaise?: bigint | undefined;
  readonly maxPaise?: bigint | undefined;
}

/** A table of the feed, with its columns and the condition for its kind of transactions. */
interface Source {
  readonly columns: Sql;
  readonly table: Sql;
  readonly amountColumn: Sql;
  readonly kindCondition: Sql;
}

const goldColumns = sql`
  id, user_id AS "userId", transaction_kind(type) AS kind, status, amount_paise AS "amountPaise",
  ${knownGrams} AS grams, created_at AS "createdAt"`;
const goldSource = (kindCondition: Sql): Source => ({
  columns: goldColumns,
  table: sql`gold_order`,
  amountColumn: sql`amount_paise`,
  kindCondition,
});
const productSource: Source = {
  columns: sql`id, user_id, 'PRODUCT_ORDER', status, total_paise, NULL::numeric, created_at`,
  table: sql`product_order`,
  amountColumn: sql`total_paise`,
  kindCondition: noSql,
};
const payoutSource: Source = {
  columns: sql`id, user_id, 'PAYOUT', status, amount_paise, NULL::numeric, created_at`,
  table: sql`payout`,
  amountColumn: sql`amount_paise`,
  kindCondition: noSql,
};
const sourcesByKind: Readonly<Record<TransactionKind, Source>> = {
  GOLD_BUY: goldSource(sql`AND type = 'BUY'`),
  GOLD_SELL: goldSource(sql`AND type = 'SELL'`),
  SIP_INSTALLMENT: goldSource(sql`AND type = 'SIP_INSTALLMENT'`),
  PRODUCT_ORDER: productSource,
  PAYOUT: payoutSource,
};
const sourcesOf = (kind: TransactionKind | undefined): readonly Source[] =>
  kind === undefined ? [goldSource(noSql), productSource, payoutSource] : [sourcesByKind[kind]];

const conditionOf = (
  { kindCondition, amountColumn }: Source,
  { status, userId, from, to, minPaise, maxPaise }: FeedFilter,
): Sql => sql`
  true ${kindCondition}
  ${minPaise === undefined ? noSql : sql`AND ${amountColumn} >= ${minPaise}::bigint`}
  ${maxPaise === undefined ? noSql : sql`AND ${amountColumn} <= ${maxPaise}::bigint`}
  ${status === undefined ? noSql : sql`AND status = ${status}`}
  ${userId === undefined ? noSql : sql`AND user_id = ${userId}::uuid`}
  ${from === undefined ? noSql : sql`AND created_at >= ${from}::timestamptz`}
  ${to === undefined ? noSql : sql`AND created_at < ${to}::timestamptz`}`;

/**
 * Returns the expression that counts the rows of a filter. It reads every row, so it is used only for
 * one customer, a range of amounts, or a part of a day.
 */
const rowCountSql = (filter: FeedFilter): Sql =>
  joinSql(
    sourcesOf(filter.kind).map(
      (source) => sql`(SELECT count(*) FROM ${source.table} WHERE ${conditionOf(source, filter)})`,
    ),
    ' + ',
  );

/**
 * Selects the newest rows of a filter after the first `skip`. Each table contributes at most
 * `skip + limit` rows.
 */
const newestRowsSql = (
  filter: FeedFilter,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Sql => sql`
  SELECT * FROM (${joinSql(
    sourcesOf(filter.kind).map((source) => {
      const { columns, table } = source;
      // Every select names its columns, because any table may come first.
      return sql`(SELECT * FROM (SELECT ${columns} FROM ${table}
        WHERE ${conditionOf(source, filter)}
        ORDER BY created_at DESC, id DESC LIMIT ${skip + limit}::int)
        AS newest (id, "userId", kind, status, "amountPaise", grams, "createdAt"))`;
    }),
    ' UNION ALL ',
  )}) AS feed
  ORDER BY "createdAt" DESC, id DESC LIMIT ${limit}::int OFFSET ${skip}::int`;

type Row = Omit<OperatorTransaction, 'amountPaise' | 'grams'> & {
  readonly amountPaise: bigint;
  readonly grams: DatabaseDecimal | null;
};

const toTransaction = (row: Row): OperatorTransaction => ({
  ...row,
  amountPaise: paise(row.amountPaise),
  grams: row.grams === null ? null : gramsFromDatabase(row.grams),
});

const dayMs = 24 * 60 * 60_000;
const startOfDay = (at: Date): Date => addMs(at, -(at.getTime() % dayMs));

const utcDay = (at: Date): Sql => sql`(${at}::timestamptz AT TIME ZONE 'UTC')::date`;

/** Returns the UTC days of which only a part lies between `from` and `to`, each with that part. */
const partialDays = ({ from, to }: FeedFilter): { day: Date; from: Date; to: Date }[] => {
  const days = [from, to]
    .filter((at) => at !== undefined)
    .map(startOfDay)
    .filter((day, index, starts) => index === starts.findIndex((other) => +other === +day));
  return days
    .map((day) => {
      const end = addMs(day, dayMs);
      return { day, from: from && from > day ? from : day, to: to && to < end ? to : end };
    })
    .filter((part) => part.from < part.to && +part.to - +part.from < dayMs);
};

/**
 * Selects the days of a filter and their counts. The count of a whole day is its total and the
 * changes that are not in the total yet. The count of a part of a day is counted from its rows.
 */
const dayCountsSql = (filter: FeedFilter): Sql => {
  const { kind, status, from, to } = filter;
  const parts = partialDays(filter);
  const where = sql`true
    ${kind === undefined ? noSql : sql`AND kind = ${kind}`}
    ${status === undefined ? noSql : sql`AND status = ${status}`}
    ${from === undefined ? noSql : sql`AND day >= ${utcDay(from)}`}
    ${to === undefined ? noSql : sql`AND day < ${to}::timestamptz AT TIME ZONE 'UTC'`}
    ${parts.length === 0 ? noSql : sql`AND day NOT IN (${joinSql(parts.map(({ day }) => utcDay(day)))})`}`;
  const partCounts = parts.map(
    ({ day, ...bounds }) =>
      sql` UNION ALL SELECT ${utcDay(day)}, ${rowCountSql({ ...filter, ...bounds })}`,
  );
  return sql`
    SELECT day, sum(count)::bigint AS count FROM (
      SELECT day, count FROM transaction_total WHERE ${where}
      UNION ALL SELECT day, change FROM transaction_change WHERE ${where}
      ${partCounts.length === 0 ? noSql : joinSql(partCounts, ' ')}) AS counted (day, count)
    GROUP BY day HAVING sum(count) > 0`;
};

interface Day {
  readonly day: Date;
  /** The number of rows of newer days. */
  readonly newer: number;
  readonly count: number;
}

/** Finds the days that a page lies in, newest first, and the total number of rows. */
export const findDays = async (
  db: Db,
  filter: FeedFilter,
  page: Page,
): Promise<{ readonly days: readonly Day[]; readonly total: number }> => {
  const offset = offsetOf(page);
  const row = await selectOne<{
    total: number;
    days: { day: string; newer: number; count: number }[];
  }>(
    db,
    sql`
      WITH running AS MATERIALIZED (
        SELECT day, count, sum(count) OVER (ORDER BY day DESC) - count AS newer
        FROM (${dayCountsSql(filter)}) AS days)
      SELECT (SELECT coalesce(sum(count), 0)::int FROM running) AS total,
        coalesce((
          SELECT jsonb_agg(jsonb_build_object('day', day, 'newer', newer, 'count', count)
            ORDER BY day DESC)
          FROM running
          WHERE newer < ${offset + page.limit}::int AND newer + count > ${offset}::int), '[]') AS days`,
  );
  const days = (row?.days ?? []).map(({ day, ...counts }) => ({ ...counts, day: new Date(day) }));
  return { days, total: row?.total ?? 0 };
};

const newerOf = (a: Date | undefined, b: Date): Date => (a !== undefined && a > b ? a : b);
const olderOf = (a: Date | undefined, b: Date): Date => (a !== undefined && a < b ? a : b);

/** Selects a page from the days that it lies in. Rows of other days are not read. */
export const daysSql = (filter: FeedFilter, page: Page, days: readonly Day[]): Sql => {
  const offset = offsetOf(page);
  const parts = days.map(({ day, newer, count }) => {
    const skip = Math.max(0, offset - newer);
    const bounds = {
      from: newerOf(filter.from, day),
      to: olderOf(filter.to, addMs(day, dayMs)),
    };
    const limit = Math.min(count - skip, offset + page.limit - newer - skip);
    return sql`(${newestRowsSql({ ...filter, ...bounds }, { skip, limit })})`;
  });
  return sql`SELECT * FROM (${joinSql(parts, ' UNION ALL ')}) AS page
    ORDER BY "createdAt" DESC, id DESC`;
};

/**
 * Returns a page of the gold orders, product orders and payouts of all customers, newest first, and
 * their total number. The cost depends on the number of days and on the rows of the page's days, and
 * not on the total number of rows. For one customer it depends on the number of that customer's rows.
 */
export const listAllTransactions = async (
  db: Db,
  filter: FeedFilter,
  page: Page,
): Promise<{ readonly rows: readonly OperatorTransaction[]; readonly total: number }> => {
  const { from, to } = filter;
  if (from !== undefined && to !== undefined && from >= to) return { rows: [], total: 0 };
  // The daily counts distinguish rows neither by customer nor by amount.
  const { userId, minPaise, maxPaise } = filter;
  if (userId !== undefined || minPaise !== undefined || maxPaise !== undefined) {
    const [rows, counted] = await Promise.all([
      selectRows<Row>(db, newestRowsSql(filter, { skip: offsetOf(page), limit: page.limit })),
      selectOne<{ total: number }>(db, sql`SELECT (${rowCountSql(filter)})::int AS total`),
    ]);
    return { rows: rows.map(toTransaction), total: counted?.total ?? 0 };
  }
  const { days, total } = await findDays(db, filter, page);
  if (days.length === 0) return { rows: [], total };
  const rows = await selectRows<Row>(db, daysSql(filter, page, days));
  return { rows: rows.map(toTransaction), total };
};
