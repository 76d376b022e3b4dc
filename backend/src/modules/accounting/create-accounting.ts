import type { Guard, Route } from '../../platform/http/index.ts';
import type { Switches } from '../settings/index.ts';
import { createAccountingRoutes } from './accounting.routes.ts';
import { createPortalAuthService, type PortalAuthOptions } from './portal-auth.service.ts';
import { createPortalGuard } from './portal-guard.ts';

/** The accounting portal: its sign-in and the guard of its API. */
export const createAccounting = (
  options: PortalAuthOptions & { readonly switches: Switches },
): { routes: Route[]; guard: Guard } => ({
  routes: createAccountingRoutes(createPortalAuthService(options)),
  guard: createPortalGuard(options),
});
