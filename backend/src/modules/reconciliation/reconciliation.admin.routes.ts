import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, pageQuery, type Route } from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import { requestRun, rulesRun, type RunsDeps } from './request-run.ts';
import {
  answeredView,
  presentReport,
  presentRules,
  presentRun,
  presentRunReport,
  reconciliationQuery,
  runBody,
  runPage,
  runReportView,
  runView,
} from './reconciliation.schemas.ts';
import type { Report } from './reconciliation.types.ts';
import { findNewestRun, findRun, listRuns } from './runs.store.ts';

/** A report and its stored run. The run is absent if the checks were run for this response. */
export interface AnsweredReport {
  readonly report: Report;
  readonly runId?: string;
}

/** Declares `/reconciliation` of the admin API. */
export const createReconciliationAdminRoutes = (
  deps: RunsDeps,
  answer: (windowHours: number, maxAgeSeconds: number | undefined) => Promise<AnsweredReport>,
): Route[] => {
  const tags = ['reconciliation'];
  const { db, clock } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/reconciliation',
      summary: 'Run 13 checks that compare the books with each other and with the collaborators',
      tags,
      access: anyAdmin,
      query: reconciliationQuery,
      responses: { 200: answeredView },
      handler: async ({ query }) => {
        const { report, runId } = await answer(query.window_hours, query.max_age_seconds);
        const databaseRules = presentRules(await findNewestRun(db, rulesRun), clock.now());
        return ok({ ...presentReport(report, clock.now(), runId), databaseRules });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/reconciliation/runs',
      summary: 'Start a run of the checks, or return the run in progress for the same window',
      tags,
      access: adminAccess('SUPER_ADMIN', 'ADMIN'),
      body: runBody,
      responses: { 202: runView },
      errors: ['BUSY'],
      handler: async ({ body, principal, context }) => {
        const wanted = body.kind === 'REPORT' ? body : rulesRun;
        const run = await requestRun(deps, wanted, { principal, context });
        return { status: 202, body: presentRun(run) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/reconciliation/runs',
      summary: 'Runs of the checks, newest first',
      tags,
      access: anyAdmin,
      query: pageQuery,
      responses: { 200: runPage },
      handler: async ({ query }) => {
        const { rows, total } = await listRuns(db, query);
        return ok({ items: rows.map(presentRun), total, ...query });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/reconciliation/runs/:id',
      summary: 'One run of the checks, with its report once the run is done',
      tags,
      access: anyAdmin,
      params: idParams,
      responses: { 200: runReportView },
      errors: ['NOT_FOUND'],
      handler: async ({ params }) => {
        const run = await findRun(db, params.id);
        if (run === undefined) throw new AppError('NOT_FOUND');
        return ok(presentRunReport(run, clock.now()));
      },
    }),
  ];
};
