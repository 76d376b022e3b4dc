export { createDecideDeployments } from './decide-deployments.ts';
export { createCiAdminRoutes } from './ci.admin.routes.ts';
