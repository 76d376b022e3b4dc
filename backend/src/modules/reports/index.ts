export { createReportsAdminRoutes } from './reports.admin.routes.ts';
export { makeOverview } from './make-reports.ts';
