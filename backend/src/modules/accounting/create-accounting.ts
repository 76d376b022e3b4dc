import type { Guard, Route } from '../../platform/http/index.ts';
import type { Switches } from '../settings/index.ts';
import { createAccountingRoutes } from './accounting.routes.ts';
import { createPortalGuard } from './portal-guard.ts';
import type { PortalSignInDeps } from './portal-sign-in.ts';

/** Wires the accounting portal's sign-in and the guard of its API. */
export const createAccounting = (
  deps: PortalSignInDeps & { readonly switches: Switches },
): { routes: Route[]; guard: Guard } => ({
  routes: createAccountingRoutes(deps),
  guard: createPortalGuard(deps),
});
