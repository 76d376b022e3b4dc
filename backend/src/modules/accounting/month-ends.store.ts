import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';

/** The key of the advisory lock that serialises writes which depend on the closed months. */
export const bookLock = 'accounting:books';

/*
 * The rows of `month_end_close` and `month_end_reopening` are inserted and never changed. A month is
 * closed if it has a close without a reopening.
 */

const withPeople = {
  closer: { select: { id: true, email: true } },
  reopening: { include: { reopener: { select: { id: true, email: true } } } },
} as const;

const notReopened = { reopening: null } as const;

/** Returns the newest closed month as `YYYY-MM`. */
export const findLastClosedPeriod = async (db: Db): Promise<string | undefined> => {
  const row = await db.monthEndClose.findFirst({
    where: notReopened,
    orderBy: { period: 'desc' },
    select: { period: true },
  });
  return row?.period;
};

/** Returns the close of a month, or undefined if the month is open or was reopened. */
export const findMonthEnd = async (db: Db, period: string) =>
  (await db.monthEndClose.findFirst({ where: { period, ...notReopened }, include: withPeople })) ??
  undefined;

export type MonthEndRow = NonNullable<Awaited<ReturnType<typeof findMonthEnd>>>;

/** Returns the closes of a month that were reopened, newest first. */
export const listReopened = (db: Db, period: string): Promise<readonly MonthEndRow[]> =>
  db.monthEndClose.findMany({
    where: { period, reopening: { isNot: null } },
    orderBy: { revision: 'desc' },
    include: withPeople,
  });

/** Returns those of the months that are closed. */
export const listClosedPeriods = async (
  db: Db,
  periods: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await db.monthEndClose.findMany({
    where: { period: { in: [...periods] }, ...notReopened },
    select: { period: true },
  });
  return new Set(rows.map(({ period }) => period));
};

/** Returns a page of closed months, newest first, and their number. */
export const listMonthEnds = async (
  db: Db,
  { from, until }: { readonly from?: Date | undefined; readonly until?: Date | undefined },
  page: Page,
) => {
  const closedAt = {
    ...(from !== undefined && { gte: from }),
    ...(until !== undefined && { lt: until }),
  };
  const where = { ...notReopened, closedAt };
  const [rows, total] = await Promise.all([
    db.monthEndClose.findMany({
      where,
      orderBy: { period: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
      include: withPeople,
    }),
    db.monthEndClose.count({ where }),
  ]);
  return { rows, total };
};

/** Inserts a close of a month. Its revision follows the closes that were reopened. */
export const insertMonthEnd = async (
  db: Db,
  row: {
    readonly id: string;
    readonly period: string;
    readonly totals: object;
    readonly closedBy: string;
    readonly closedAt: Date;
  },
): Promise<void> => {
  const earlier = await db.monthEndClose.count({ where: { period: row.period } });
  await db.monthEndClose.create({ data: { ...row, revision: earlier + 1 } });
};

export const insertReopening = async (
  db: Db,
  row: {
    readonly closeId: string;
    readonly reason: string;
    readonly reopenedBy: string;
    readonly reopenedAt: Date;
  },
): Promise<void> => {
  await db.monthEndReopening.create({ data: row });
};
