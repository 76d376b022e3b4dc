import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { istDate, startOfIstDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  created,
  defineRoute,
  offsetOf,
  ok,
  pageQuery,
  type Route,
} from '../../platform/http/index.ts';
import { portalRead, portalWrite } from './accounting.types.ts';
import { closeMonth, readMonth } from './close-month.ts';
import {
  compareTotals,
  dateParams,
  daysPage,
  daysQuery,
  monthCloseView,
  monthsPage,
  monthView,
  periodParams,
  presentClosedMonth,
  presentSignOff,
  signOffView,
} from './closing.schemas.ts';
import { findMonthEnd, listMonthEnds } from './month-ends.store.ts';
import {
  listDates,
  noProviderFigures,
  readProviderDays,
  type DateRange,
  addProviderFigures,
} from './provider-days.read-model.ts';
import type { Post } from './posting-gate.ts';
import type { AccountingWriteDeps } from './put-statutory-parameter.ts';
import { listSignOffs, signOffDay } from './sign-off-day.ts';

const dayMs = 24 * 60 * 60_000;
const defaultDays = 31;
const maxDays = 3660;

/** Returns the days asked for: the last 31 by default. @throws AppError VALIDATION_FAILED */
const rangeOf = (clock: Clock, query: { from?: string | undefined; to?: string | undefined }) => {
  const to = query.to ?? istDate(clock.now());
  const from = query.from ?? istDate(addMs(startOfIstDate(to), -(defaultDays - 1) * dayMs));
  const days = (startOfIstDate(to).getTime() - startOfIstDate(from).getTime()) / dayMs + 1;
  if (days < 1 || days > maxDays) {
    const message = `"from" is at most "to", and the two are at most ${maxDays} days apart.`;
    throw new AppError('VALIDATION_FAILED', { message, field: 'from' });
  }
  return { from, to };
};

const readDays = async (
  db: Db,
  range: DateRange,
  status: 'OPEN' | 'SIGNED' | undefined,
  page: { readonly page: number; readonly limit: number },
) => {
  const [figures, signOffs] = await Promise.all([
    readProviderDays(db, range),
    listSignOffs(db, range),
  ]);
  const signed = new Map(
    signOffs.map((row) => {
      const { date, ...signedOff } = presentSignOff(row);
      return [date, signedOff] as const;
    }),
  );
  const dates = listDates(range).filter(
    (date) => status === undefined || signed.has(date) === (status === 'SIGNED'),
  );
  const offset = offsetOf(page);
  const figuresOf = (date: string) => figures.get(date) ?? noProviderFigures;
  return {
    items: dates.slice(offset, offset + page.limit).map((date) => ({
      date,
      ...figuresOf(date),
      signedOff: signed.get(date) ?? null,
    })),
    total: dates.length,
    totals: addProviderFigures(dates.map(figuresOf)),
  };
};

/** Declares the comparison with the gold provider, day by day, and its sign-off. */
export const createProviderReconciliationRoutes = (deps: AccountingWriteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/provider-reconciliation',
    summary: "The orders' figures beside those of the provider's operations, by IST day",
    tags: ['reconciliation'],
    access: portalRead('gold.reconciliation.read'),
    query: daysQuery,
    responses: { 200: daysPage },
    handler: async ({ query: { page, limit, status, ...dates } }) => {
      const range = rangeOf(deps.clock, dates);
      const found = await readDays(deps.db, range, status, { page, limit });
      return ok({ ...found, page, limit });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/gold/provider-reconciliation/:date/sign-off',
    summary: 'Sign off a day that is over, and freeze its figures',
    tags: ['reconciliation'],
    access: portalWrite('gold.reconciliation.sign_off'),
    params: dateParams,
    responses: { 201: signOffView },
    errors: ['CONFLICT'],
    handler: async ({ params, principal, context }) =>
      created(presentSignOff(await signOffDay(deps, params.date, { principal, context }))),
  }),
];

/** Declares the months that were closed, and their closing. */
export const createMonthEndRoutes = (
  deps: AccountingWriteDeps & { readonly post: Post },
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/month-end-close',
    summary: 'The months that were closed, newest first',
    tags: ['month-end'],
    access: portalRead('gold.month_end.read'),
    query: pageQuery,
    responses: { 200: monthsPage },
    handler: async ({ query }) => {
      const { rows, total } = await listMonthEnds(deps.db, query);
      return ok({ items: rows.map(presentClosedMonth), total, ...query });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/month-end-close/:period',
    summary: 'A month: its totals, frozen or so far, and what differs from them now',
    tags: ['month-end'],
    access: portalRead('gold.month_end.read'),
    params: periodParams,
    responses: { 200: monthView },
    errors: ['NOT_FOUND'],
    handler: async ({ params: { period } }) => {
      if (period > istDate(deps.clock.now()).slice(0, 7)) throw new AppError('NOT_FOUND');
      const [row, now] = [await findMonthEnd(deps.db, period), await readMonth(deps, period)];
      if (row === undefined) {
        const { totals, differences } = now;
        return ok({ period, closed: false, totals, closedBy: null, closedAt: null, differences });
      }
      const frozen = presentClosedMonth(row);
      return ok({ ...frozen, differences: compareTotals(frozen.totals, now.totals) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/gold/month-end-close/:period',
    summary: 'Close a month that is over: prove its totals and freeze them',
    tags: ['month-end'],
    access: portalWrite('gold.month_end.close'),
    params: periodParams,
    responses: { 201: monthCloseView },
    errors: ['CONFLICT'],
    handler: async ({ params: { period }, principal, context }) => {
      const closed = await closeMonth(deps, period, { principal, context });
      const posting = await deps.post({ source: 'month_end_close', id: period });
      return created({ ...presentClosedMonth(closed), posting });
    },
  }),
];
