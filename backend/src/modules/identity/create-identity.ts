import type { Guard, Route } from '../../platform/http/index.ts';
import { createAuthCustomerRoutes, type AuthRoutesDeps } from './auth.customer.routes.ts';
import { createCustomerGuard } from './customer-guard.ts';
import { createUsersCustomerRoutes } from './users.customer.routes.ts';

export type IdentityDeps = AuthRoutesDeps;

export interface Identity {
  readonly customerRoutes: Route[];
  readonly customerGuard: Guard;
}

/** Wires customers, how they sign in, and the guard of their API. */
export const createIdentity = (deps: IdentityDeps): Identity => ({
  customerGuard: createCustomerGuard(deps),
  customerRoutes: [...createAuthCustomerRoutes(deps), ...createUsersCustomerRoutes(deps)],
});
