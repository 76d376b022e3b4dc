import type { Db } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { createCiAdminRoutes } from './ci.admin.routes.ts';
import type { TriggerDeployDeps } from './trigger-deploy.ts';

/** Wires `/devops` of the admin API; `ci` is undefined while its access token is not set. */
export const createCiAdmin = (
  deps: TriggerDeployDeps & { readonly db: Db },
): { adminRoutes: Route[] } => ({
  adminRoutes: createCiAdminRoutes(deps),
});
