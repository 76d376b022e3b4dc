export { createUsersAdminRoutes } from './users.admin.routes.ts';
