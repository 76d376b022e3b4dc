import type { Guard, Route } from '../../platform/http/index.ts';
import type { Switches } from '../settings/index.ts';
import { createAccountingRoutes } from './accounting.routes.ts';
import { createPortalGuard } from './portal-guard.ts';
import type { PortalSignInDeps } from './portal-sign-in.ts';
import { createPortalUserReads, createPortalUserWrites } from './portal-users.accounting.routes.ts';

/** Wires the accounting portal: its sign-in, its users, and the guard of its API. */
export const createAccounting = (
  deps: PortalSignInDeps & { readonly switches: Switches },
): { routes: Route[]; guard: Guard } => ({
  routes: [
    ...createAccountingRoutes(deps),
    ...createPortalUserReads(deps),
    ...createPortalUserWrites(deps),
  ],
  guard: createPortalGuard(deps),
});
