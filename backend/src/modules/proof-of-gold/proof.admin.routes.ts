import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, pageQuery, type Route } from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import { requestRun, type RequestRunDeps } from './request-run.ts';
import { presentPublished, presentRun, publishedPage, runPage, runView } from './proof.schemas.ts';
import { findRun, listRuns } from './runs.store.ts';
import { listStatements } from './statements.store.ts';

const tags = ['proof of gold'];

/** Declares the statements and their runs under `/proof-of-gold` of the admin API. */
export const createProofAdminRoutes = (deps: RequestRunDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/proof-of-gold/statements',
    summary: 'Signed statements of proof of gold, newest first',
    tags,
    access: anyAdmin,
    query: pageQuery,
    responses: { 200: publishedPage },
    handler: async ({ query }) => {
      const { rows, total } = await listStatements(deps.db, query);
      return ok({ items: rows.map(presentPublished), total, ...query });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/proof-of-gold/runs',
    summary: 'Start the publication of a statement, or return the run in progress',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    responses: { 202: runView },
    errors: ['BUSY'],
    handler: async ({ principal, context }) => {
      const run = await requestRun(deps, { principal, context });
      return { status: 202, body: presentRun(run) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/proof-of-gold/runs',
    summary: 'Runs that publish statements, newest first, with the reason if nothing was signed',
    tags,
    access: anyAdmin,
    query: pageQuery,
    responses: { 200: runPage },
    handler: async ({ query }) => {
      const { rows, total } = await listRuns(deps.db, query);
      return ok({ items: rows.map(presentRun), total, ...query });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/proof-of-gold/runs/:id',
    summary: 'The run that published one statement',
    tags,
    access: anyAdmin,
    params: idParams,
    responses: { 200: runView },
    errors: ['NOT_FOUND'],
    handler: async ({ params }) => {
      const run = await findRun(deps.db, params.id);
      if (run === undefined) throw new AppError('NOT_FOUND');
      return ok(presentRun(run));
    },
  }),
];
