export { createIncidentAdminRoutes } from './incidents.admin.routes.ts';
