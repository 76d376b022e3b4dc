import type { Guard, Route } from '../../platform/http/index.ts';
import { createAuthCustomerRoutes, type AuthRoutesDeps } from './auth.customer.routes.ts';
import {
  createCustomerGuard,
  createIdentifyCustomer,
  type IdentifyCustomer,
} from './customer-guard.ts';
import { createForgotMpin, type ForgotMpinDeps } from './forgot-mpin.ts';
import { createUsersCustomerRoutes } from './users.customer.routes.ts';

type IdentityDeps = Omit<AuthRoutesDeps, 'forgotMpin'> & ForgotMpinDeps;

export interface Identity {
  readonly customerRoutes: Route[];
  readonly customerGuard: Guard;
  /** Identifies the customer of a request to a public route. */
  readonly identify: IdentifyCustomer;
  /** Waits until no SMS is being sent. A send may outlast its request. */
  settle(): Promise<void>;
}

/** Wires the routes of customers and their sign-in, and the guard of their API. */
export const createIdentity = (deps: IdentityDeps): Identity => {
  const forgotMpin = createForgotMpin(deps);
  return {
    customerGuard: createCustomerGuard(deps),
    identify: createIdentifyCustomer(deps),
    customerRoutes: [
      ...createAuthCustomerRoutes({ ...deps, forgotMpin }),
      ...createUsersCustomerRoutes(deps),
    ],
    settle: () => forgotMpin.settle(),
  };
};
