import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, offsetOf, ok, type Route } from '../../platform/http/index.ts';
import { listJobs } from '../../platform/jobs/index.ts';
import { adminAccess } from '../admins/index.ts';
import { discardJob, retryJob, type ChangeJobDeps } from './change-job.ts';
import { discardBody, jobPage, jobParams, jobsQuery, jobView, presentJob } from './jobs.schemas.ts';

export type JobRouteDeps = ChangeJobDeps & { readonly db: Db };

const tags = ['incidents'];

/** Declares `/jobs` of the admin API (contract: incidents > Jobs). */
export const createJobAdminRoutes = (deps: JobRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/jobs',
    summary: 'Jobs with one status, oldest first. The default is dead jobs',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    query: jobsQuery,
    responses: { 200: jobPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const slice = { offset: offsetOf({ page, limit }), limit };
      const { rows, total } = await listJobs(deps.db, filter, slice);
      return ok({ items: rows.map(presentJob), total, page, limit });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/jobs/:id/retry',
    summary: 'Retry a job now and reset its number of attempts',
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    params: jobParams,
    responses: { 200: jobView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id }, principal, context }) => {
      const job = await retryJob(deps, id, { principal, context });
      if (job === undefined) throw new AppError('NOT_FOUND');
      return ok(presentJob(job));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/jobs/:id/discard',
    summary: 'Permanently remove a dead job from the queue',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    params: jobParams,
    body: discardBody,
    responses: { 200: jobView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id }, body: { reason }, principal, context }) =>
      ok(presentJob(await discardJob(deps, id, reason, { principal, context }))),
  }),
];
