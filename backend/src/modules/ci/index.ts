export { createDecideDeployments } from './ci.sweeps.ts';
export { createCiAdminRoutes } from './ci.admin.routes.ts';
