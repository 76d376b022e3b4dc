import type { Guard, Route } from '../../platform/http/index.ts';
import { createAdminGuard } from './admin-guard.ts';
import { createAdminsAdminRoutes } from './admins.admin.routes.ts';
import { createAdminsService, type AdminsOptions } from './admins.service.ts';

/** Operators: their sign-in and the guard of their API. */
export const createAdmins = (options: AdminsOptions): { adminRoutes: Route[]; guard: Guard } => ({
  adminRoutes: createAdminsAdminRoutes(createAdminsService(options)),
  guard: createAdminGuard(options),
});
