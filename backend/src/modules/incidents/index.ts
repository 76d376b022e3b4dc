export { createIncidentRoutes } from './incidents.admin.routes.ts';
