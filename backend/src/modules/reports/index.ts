export { createReportsAdminRoutes } from './reports.admin.routes.ts';
