import type { Guard, Route } from '../../platform/http/index.ts';
import { createAdminGuard } from './admin-guard.ts';
import { createAdminsAdminRoutes } from './admins.admin.routes.ts';
import type { SignInAdminDeps } from './sign-in-admin.ts';

/** Wires the operators' sign-in and the guard of their API. */
export const createAdmins = (deps: SignInAdminDeps): { adminRoutes: Route[]; guard: Guard } => ({
  adminRoutes: createAdminsAdminRoutes(deps),
  guard: createAdminGuard(deps),
});
