import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import { readGmv, readSignUps } from './days.read-model.ts';
import { makeAum, makeOverview, type ReportsDeps } from './make-reports.ts';
import {
  aumView,
  daysQuery,
  gmvView,
  overviewView,
  presentAum,
  presentGmv,
  presentOverview,
  presentUserGrowth,
  userGrowthView,
} from './reports.schemas.ts';

const createDashboardRoutes = (deps: ReportsDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/dashboard/overview',
    summary: 'The headline figures of the dashboard',
    tags: ['reports'],
    access: anyAdmin,
    responses: { 200: overviewView },
    handler: async () => ok(presentOverview(await makeOverview(deps))),
  }),
  defineRoute({
    method: 'GET',
    path: '/dashboard/gmv',
    summary: 'The gross merchandise value of each of the last `days` days',
    tags: ['reports'],
    access: anyAdmin,
    query: daysQuery,
    responses: { 200: gmvView },
    handler: async ({ query }) =>
      ok(presentGmv(await readGmv(deps.db, deps.clock.now(), query.days))),
  }),
  defineRoute({
    method: 'GET',
    path: '/dashboard/user-growth',
    summary: 'The number of accounts opened on each of the last `days` days',
    tags: ['reports'],
    access: anyAdmin,
    query: daysQuery,
    responses: { 200: userGrowthView },
    handler: async ({ query }) =>
      ok(presentUserGrowth(await readSignUps(deps.db, deps.clock.now(), query.days))),
  }),
];

/** The reports that only the accounting API has. Their paths here respond NOT_IMPLEMENTED. */
const notImplemented = {
  'daily-transactions': 'The transactions of a day',
  gst: 'GST of a period',
  tds: 'Tax deducted at source',
  'provider-reconciliation': "A comparison of a day's books with those of the provider",
} as const;

/** Declares `/dashboard` and `/reports` of the admin API. */
export const createReportsAdminRoutes = (deps: ReportsDeps): Route[] => [
  ...createDashboardRoutes(deps),
  defineRoute({
    method: 'GET',
    path: '/reports/aum',
    summary: 'The gold held for all customers, and its value',
    tags: ['reports'],
    access: anyAdmin,
    responses: { 200: aumView },
    handler: async () => ok(presentAum(await makeAum(deps))),
  }),
  ...Object.entries(notImplemented).map(([name, summary]) =>
    defineRoute({
      method: 'GET',
      path: `/reports/${name}`,
      summary: `${summary}. Not available`,
      tags: ['reports'],
      access: adminAccess('SUPER_ADMIN', 'ADMIN'),
      responses: {},
      errors: ['NOT_IMPLEMENTED'],
      handler: async () => {
        throw new AppError('NOT_IMPLEMENTED');
      },
    }),
  ),
];
