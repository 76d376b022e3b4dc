import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate, istDate, startOfIstDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { findLastClosedPeriod, listClosedPeriods } from './month-ends.store.ts';
import { listDates, readProviderDays, type DateRange } from './provider-days.read-model.ts';
import { hasSettled, listSignOffs } from './sign-off-day.ts';

const dayMs = 24 * 60 * 60_000;

const firstOf = (period: string): Date => startOfIstDate(`${period}-01`);

/** Returns the month after one (`YYYY-MM`): 31 days after its 1st, whatever their lengths. */
export const monthAfter = (period: string): string =>
  istDate(addMs(firstOf(period), 31 * dayMs)).slice(0, 7);

/** Returns the month before one. */
export const monthBefore = (period: string): string =>
  istDate(addMs(firstOf(period), -1)).slice(0, 7);

/** Returns the IST dates on which a month (`YYYY-MM`) begins and ends. */
export const datesOf = (period: string): DateRange => ({
  from: `${period}-01`,
  to: istDate(addMs(firstOf(monthAfter(period)), -1)),
});

/** Returns the month in which the books begin, or undefined while they are empty. */
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

/** Returns the month that has to be closed before one, or undefined where it may be closed. */
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

/** A month that is not closed, and what keeps it open. */
export interface OpenMonth {
  readonly period: string;
  readonly isOver: boolean;
  /** The month that has to be closed first. */
  readonly waitsFor: string | null;
  readonly unsignedDays: readonly string[];
}

/** Months that are listed at most: the oldest are to be closed first. */
const mostMonths = 12;

/**
 * Lists the months that are not closed, the oldest first: from the first month of the books, or
 * from the one after the newest that is closed, to the current one.
 */
export const listOpenMonths = async (db: Db, now: Date): Promise<readonly OpenMonth[]> => {
  const current = istDate(now).slice(0, 7);
  const [first, closed] = [await findFirstPeriod(db), await findLastClosedPeriod(db)];
  if (first === undefined) return [];
  const begin = closed === undefined || closed < first ? first : monthAfter(closed);
  const months: OpenMonth[] = [];
  for (let period = begin; period <= current; period = monthAfter(period)) {
    if (months.length === mostMonths) break;
    months.push({
      period,
      isOver: hasSettled(endOfIstDate(datesOf(period).to), now),
      waitsFor: (await findOpenBefore(db, period)) ?? null,
      unsignedDays: await listUnsignedDays(db, period),
    });
  }
  return months;
};
