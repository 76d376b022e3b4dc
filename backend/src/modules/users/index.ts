export { createUsersAdminRoutes, type UsersAdminDeps } from './users.admin.routes.ts';
