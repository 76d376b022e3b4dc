import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { istDate, startOfIstDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, offsetOf, ok, type Route } from '../../platform/http/index.ts';
import { filePermissionOf, fileTypes, monthEndsRegister, windowOf } from '../registers/index.ts';
import { daysRegister } from './days.register.ts';
import { fileErrors, writeFile, type FilesDeps } from './write-file.ts';
import { portalRead, portalWrite } from './accounting.types.ts';
import { closeMonth, readMonth } from './close-month.ts';
import {
  compareTotals,
  dateParams,
  daysPage,
  daysQuery,
  monthCloseView,
  monthsPage,
  monthsQuery,
  monthView,
  openMonthsView,
  periodParams,
  presentClosedMonth,
  presentOpenMonth,
  presentReopened,
  presentSignOff,
  reopenBody,
  signOffView,
} from './closing.schemas.ts';
import { findMonthEnd, listMonthEnds, listReopened } from './month-ends.store.ts';
import { listOpenMonths } from './open-months.ts';
import {
  listDates,
  noProviderFigures,
  readProviderDays,
  type DateRange,
  addProviderFigures,
} from './provider-days.read-model.ts';
import type { Post } from './posting-gate.ts';
import { reopenMonth } from './reopen-month.ts';
import type { AccountingWriteDeps } from './put-statutory-parameter.ts';
import { listSignOffs, signOffDay } from './sign-off-day.ts';

const dayMs = 24 * 60 * 60_000;
const defaultDays = 31;
const maxDays = 3660;

/**
 * Returns the range of the requested days. The default is the last 31 days.
 * @throws AppError VALIDATION_FAILED
 */
const rangeOf = (clock: Clock, query: { from?: string | undefined; to?: string | undefined }) => {
  const to = query.to ?? istDate(clock.now());
  const from = query.from ?? istDate(addMs(startOfIstDate(to), -(defaultDays - 1) * dayMs));
  const days = (startOfIstDate(to).getTime() - startOfIstDate(from).getTime()) / dayMs + 1;
  if (days < 1 || days > maxDays) {
    const message = `"from" must not be after "to", and they can be at most ${maxDays} days apart.`;
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

/** Declares the daily comparison with the gold provider, and the sign-off of a day. */
export const createProviderReconciliationAccountingRoutes = (
  deps: AccountingWriteDeps & FilesDeps,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/provider-reconciliation',
    summary: 'Totals of the orders and of the operations at the gold provider, for each IST day',
    tags: ['reconciliation'],
    access: portalRead('gold.reconciliation.read', filePermissionOf),
    query: daysQuery,
    responses: { 200: daysPage },
    produces: Object.values(fileTypes),
    errors: fileErrors,
    handler: async ({ query, principal: reader, context }) => {
      const { page, limit, status, format, ...dates } = query;
      const range = rangeOf(deps.clock, dates);
      if (format !== 'json') {
        const register = daysRegister(async () => {
          const { items } = await readDays(deps.db, range, status, { page: 1, limit: maxDays });
          return items;
        });
        const filter = { ...range, status, q: undefined };
        return writeFile(deps, { register, query: filter, format, reader, context });
      }
      const found = await readDays(deps.db, range, status, { page, limit });
      return ok({ ...found, page, limit });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/gold/provider-reconciliation/:date/sign-off',
    summary: 'Sign off a past day and freeze its figures',
    tags: ['reconciliation'],
    access: portalWrite('gold.reconciliation.sign_off'),
    params: dateParams,
    responses: { 201: signOffView },
    errors: ['CONFLICT'],
    handler: async ({ params, principal, context }) =>
      created(presentSignOff(await signOffDay(deps, params.date, { principal, context }))),
  }),
];

/**
 * Returns a month with its frozen or current totals, their differences from the books, and the
 * totals that were frozen before the month was reopened.
 */
const readMonthView = async (deps: AccountingWriteDeps, period: string) => {
  const [row, current] = [await findMonthEnd(deps.db, period), await readMonth(deps, period)];
  const reopened = presentReopened(await listReopened(deps.db, period));
  if (row === undefined) {
    const open = { period, closed: false, closedBy: null, closedAt: null };
    return { ...open, ...current, reopened };
  }
  const frozen = presentClosedMonth(row);
  return { ...frozen, differences: compareTotals(frozen.totals, current.totals), reopened };
};

/** Declares the reads of closed months, open months and a single month. */
const createMonthEndReads = (deps: AccountingWriteDeps & FilesDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/month-end-close',
    summary: 'Closed months, newest first',
    tags: ['month-end'],
    access: portalRead('gold.month_end.read', filePermissionOf),
    query: monthsQuery,
    responses: { 200: monthsPage },
    produces: Object.values(fileTypes),
    errors: fileErrors,
    handler: async ({ query, principal: reader, context }) => {
      const { from, to, format, ...page } = query;
      if (format !== 'json') {
        const filter = { from, to, status: undefined, q: undefined };
        return writeFile(deps, {
          register: monthEndsRegister,
          query: filter,
          format,
          reader,
          context,
        });
      }
      const { rows, total } = await listMonthEnds(deps.db, windowOf({ from, to }), page);
      return ok({ items: rows.map(presentClosedMonth), total, ...page });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/month-end-close/:period',
    summary:
      'The totals of one month, frozen or to date, with any differences from the current books',
    tags: ['month-end'],
    access: portalRead('gold.month_end.read'),
    params: periodParams,
    responses: { 200: monthView },
    errors: ['NOT_FOUND'],
    handler: async ({ params: { period } }) => {
      if (period > istDate(deps.clock.now()).slice(0, 7)) throw new AppError('NOT_FOUND');
      return ok(await readMonthView(deps, period));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/month-end',
    summary: 'Open months, oldest first, each with the reason why it cannot be closed yet',
    tags: ['month-end'],
    access: portalRead('gold.month_end.read'),
    responses: { 200: openMonthsView },
    handler: async () => {
      const months = await listOpenMonths(deps.db, deps.clock.now());
      return ok({ items: months.map(presentOpenMonth) });
    },
  }),
];

/** Declares the reads of months, and how a month is closed and reopened. */
export const createMonthEndAccountingRoutes = (
  deps: AccountingWriteDeps & FilesDeps & { readonly post: Post },
): Route[] => [
  ...createMonthEndReads(deps),
  defineRoute({
    method: 'POST',
    path: '/gold/month-end-close/:period',
    summary: 'Close a past month: verify its totals and freeze them',
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
  defineRoute({
    method: 'POST',
    path: '/gold/month-end-close/:period/reopen',
    summary: 'Reopen the newest closed month, with a reason. Its frozen totals are kept',
    tags: ['month-end'],
    access: portalWrite('gold.month_end.close'),
    params: periodParams,
    body: reopenBody,
    responses: { 200: monthView },
    errors: ['CONFLICT'],
    handler: async ({ params: { period }, body: { reason }, principal, context }) => {
      await reopenMonth(deps, { period, reason }, { principal, context });
      return ok(await readMonthView(deps, period));
    },
  }),
];
