import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import {
  presentReport,
  reconciliationQuery,
  reconciliationView,
} from './reconciliation.schemas.ts';
import type { Report } from './reconciliation.types.ts';

/** Declares `GET /reconciliation` of the admin API. */
export const createReconciliationAdminRoutes = (
  report: (windowHours: number) => Promise<Report>,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/reconciliation',
    summary: 'Compare our books with themselves and with the collaborators: 13 checks',
    tags: ['reconciliation'],
    access: anyAdmin,
    query: reconciliationQuery,
    responses: { 200: reconciliationView },
    handler: async ({ query }) => ok(presentReport(await report(query.window_hours))),
  }),
];
