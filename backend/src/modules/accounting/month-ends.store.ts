import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';

/** Lets writes that depend on which months are closed take turns: see `lockText`. */
export const bookLock = 'accounting:books';

/* The rows of `month_end_close`: inserted once, never changed. */

const withCloser = { closer: { select: { id: true, email: true } } } as const;

/** Returns the newest closed month as `YYYY-MM`. */
export const findLastClosedPeriod = async (db: Db): Promise<string | undefined> => {
  const row = await db.monthEndClose.findFirst({
    orderBy: { period: 'desc' },
    select: { period: true },
  });
  return row?.period;
};

export const findMonthEnd = async (db: Db, period: string) =>
  (await db.monthEndClose.findUnique({ where: { period }, include: withCloser })) ?? undefined;

export type MonthEndRow = NonNullable<Awaited<ReturnType<typeof findMonthEnd>>>;

/** Returns a page of closed months, newest first, and their number. */
export const listMonthEnds = async (db: Db, page: Page) => {
  const [rows, total] = await Promise.all([
    db.monthEndClose.findMany({
      orderBy: { period: 'desc' },
      skip: offsetOf(page),
      take: page.limit,
      include: withCloser,
    }),
    db.monthEndClose.count(),
  ]);
  return { rows, total };
};

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
  await db.monthEndClose.create({ data: row });
};
