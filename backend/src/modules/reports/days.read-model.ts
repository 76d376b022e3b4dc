import { addPaise, paise, ZERO_PAISE, type Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDay, istDate, startOfIstDay } from '../../platform/clock/ist.ts';
import { selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import type { DayOf } from './reports.types.ts';

const dayMs = 24 * 60 * 60_000;

/** Selects the IST day of a time, in the form of `istDate`. */
const istDay = (at: Sql): Sql =>
  sql`to_char(${at} AT TIME ZONE 'UTC' + interval '330 minutes', 'YYYY-MM-DD')`;

/** Returns the last `days` days of the IST calendar. The last of them is today. */
const lastDays = (now: Date, days: number) => {
  const today = startOfIstDay(now);
  const from = addMs(today, -(days - 1) * dayMs);
  const dates = Array.from({ length: days }, (_, day) => istDate(addMs(from, day * dayMs)));
  return { from, to: endOfIstDay(now), dates };
};

const fillDays = <T>(
  dates: readonly string[],
  rows: readonly { readonly date: string; readonly value: T }[],
  none: T,
): DayOf<T>[] => {
  const known = new Map(rows.map(({ date, value }) => [date, value]));
  return dates.map((date) => ({ date, value: known.get(date) ?? none }));
};

/** Selects the gross merchandise value of each IST day from `from` on and before `to`. */
export const gmvSql = (from: Date, to: Date): Sql => sql`
  SELECT ${istDay(sql`sale.at`)} AS date, sum(sale.paise)::bigint AS value
  FROM (
    SELECT allocated_at AS at, amount_paise AS paise FROM gold_order
    WHERE allocated_at >= ${from}::timestamptz AND allocated_at < ${to}::timestamptz
      AND allocated_at IS NOT NULL AND recovered_at IS NULL
    UNION ALL
    SELECT created_at, total_paise FROM product_order
    WHERE created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz
      AND status NOT IN ('CANCELLED', 'RETURNED')) AS sale
  GROUP BY 1`;

/**
 * Returns the gross merchandise value of each of the last `days` IST days, oldest first (contract:
 * operators > Dashboard). It is the sum of two amounts.
 *
 * * Gold counts on the day of its allocation, with tax, unless it was recovered since.
 * * Jewellery counts on the day of its order, with tax and delivery, unless it was cancelled or
 *   returned since.
 */
export const readGmv = async (db: Db, now: Date, days: number): Promise<DayOf<Paise>[]> => {
  const { from, to, dates } = lastDays(now, days);
  const rows = await selectRows<{ date: string; value: bigint }>(db, gmvSql(from, to));
  const known = rows.map(({ date, value }) => ({ date, value: paise(value) }));
  return fillDays(dates, known, ZERO_PAISE);
};

/** Returns the number of accounts opened on each of the last `days` IST days, with deleted ones. */
export const readSignUps = async (db: Db, now: Date, days: number): Promise<DayOf<number>[]> => {
  const { from, to, dates } = lastDays(now, days);
  const rows = await selectRows<{ date: string; value: number }>(
    db,
    sql`
      SELECT ${istDay(sql`created_at`)} AS date, count(*)::int AS value FROM app_user
      WHERE created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz
      GROUP BY 1`,
  );
  return fillDays(dates, rows, 0);
};

/** Counts the customers who joined within the last 24 hours and are not deleted. */
export const countNewUsers = async (db: Db, now: Date): Promise<number> => {
  const createdAt = { gt: addMs(now, -dayMs), lte: now };
  return db.user.count({ where: { createdAt, deletedAt: null } });
};

/** Adds up the last `count` days of a series. */
export const sumOfLast = (series: readonly DayOf<Paise>[], count: number): Paise =>
  addPaise(...series.slice(-count).map(({ value }) => value));
