import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate, istDate, startOfIstDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { findLastClosedPeriod, listClosedPeriods } from './month-ends.store.ts';
import { listDates, readProviderDays, type DateRange } from './provider-days.read-model.ts';
import { canFreeze, listSignOffs } from './sign-off-day.ts';

const dayMs = 24 * 60 * 60_000;

const startOf = (period: string): Date => startOfIstDate(`${period}-01`);

/** Returns the month after `period` (`YYYY-MM`). 31 days after its 1st are always in that month. */
export const monthAfter = (period: string): string =>
  istDate(addMs(startOf(period), 31 * dayMs)).slice(0, 7);

/** Returns the month before `period`. */
export const monthBefore = (period: string): string =>
  istDate(addMs(startOf(period), -1)).slice(0, 7);

/** Returns the IST dates of the first and the last day of a month (`YYYY-MM`). */
export const datesOf = (period: string): DateRange => ({
  from: `${period}-01`,
  to: istDate(addMs(startOf(monthAfter(period)), -1)),
});

/** Returns the month of the oldest order or invoice, or undefined if there is none. */
const findFirstPeriod = async (db: Db): Promise<string | undefined> => {
  const [order, invoice] = await Promise.all([
    db.goldOrder.findFirst({
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { createdAt: true },
    }),
    db.productInvoice.findFirst({ orderBy: { issuedAt: 'asc' }, select: { issuedAt: true } }),
  ]);
  const moments = [order?.createdAt, invoice?.issuedAt].filter((at) => at !== undefined);
  const [first] = moments.toSorted((one, other) => one.getTime() - other.getTime());
  return first === undefined ? undefined : istDate(first).slice(0, 7);
};

/** Returns the month that must be closed before `period`, or undefined if `period` may be closed. */
export const findOpenBefore = async (db: Db, period: string): Promise<string | undefined> => {
  const before = monthBefore(period);
  const first = await findFirstPeriod(db);
  if (first === undefined || before < first) return undefined;
  return (await listClosedPeriods(db, [before])).has(before) ? undefined : before;
};

/** Lists the days of a month with figures that are not signed off, oldest first. */
export const listUnsignedDays = async (db: Db, period: string): Promise<readonly string[]> => {
  const range = datesOf(period);
  const [figures, signOffs] = await Promise.all([
    readProviderDays(db, range),
    listSignOffs(db, range),
  ]);
  const signed = new Set(signOffs.map(({ date }) => date.toISOString().slice(0, 10)));
  return listDates(range)
    .filter((date) => figures.has(date) && !signed.has(date))
    .toReversed();
};

/** A month that is not closed, with the reasons why it cannot be closed yet. */
export interface OpenMonth {
  readonly period: string;
  readonly isOver: boolean;
  /** The month that must be closed first. Null if there is none. */
  readonly waitsFor: string | null;
  readonly unsignedDays: readonly string[];
}

/** The maximum number of listed months. The oldest are listed, since they must be closed first. */
const maxMonths = 12;

/**
 * Lists the open months, oldest first. They begin after the newest closed month, or with the first
 * month of the books, and end with the current month.
 */
export const listOpenMonths = async (db: Db, now: Date): Promise<readonly OpenMonth[]> => {
  const current = istDate(now).slice(0, 7);
  const [first, closed] = [await findFirstPeriod(db), await findLastClosedPeriod(db)];
  if (first === undefined) return [];
  const begin = closed === undefined || closed < first ? first : monthAfter(closed);
  const months: OpenMonth[] = [];
  for (let period = begin; period <= current; period = monthAfter(period)) {
    if (months.length === maxMonths) break;
    months.push({
      period,
      isOver: canFreeze(endOfIstDate(datesOf(period).to), now),
      waitsFor: (await findOpenBefore(db, period)) ?? null,
      unsignedDays: await listUnsignedDays(db, period),
    });
  }
  return months;
};
