import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, pageQuery, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { findUser } from '../identity/index.ts';
import { readUserTimeline } from './user-timeline.read-model.ts';
import { presentTimelineEntry, timelinePage } from './user-timeline.schemas.ts';

/** Declares the operators' view of what happened to one customer. */
export const createUserTimelineAdminRoutes = ({ db }: { readonly db: Db }): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/users/:id/timeline',
    summary:
      "A customer's orders, product orders, payments, payouts and security events, newest first",
    tags: ['users'],
    access: anyAdmin,
    params: idParams,
    query: pageQuery,
    responses: { 200: timelinePage },
    handler: async ({ params: { id }, query }) => {
      if ((await findUser(db, id)) === undefined) throw new AppError('NOT_FOUND');
      const { rows, total } = await readUserTimeline(db, id, query);
      return ok({ items: rows.map(presentTimelineEntry), total, ...query });
    },
  }),
];
