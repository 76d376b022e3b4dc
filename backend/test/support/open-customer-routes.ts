import type { Route } from '../../src/platform/http/index.ts';
import { bearerCaller, type Caller } from './caller.ts';
import { createFactories, type Factories } from './factories.ts';
import { idGuard } from './id-guard.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';

/** Opens routes of the customer API on a separate system. Another module does the sign-in. */
export interface OpenCustomerRoutes {
  readonly system: TestSystem;
  readonly factories: Factories;
  /** The address, with the prefix. */
  readonly url: string;
  /** A signed-in customer, or nobody. */
  as(userId?: string): Caller;
  customer(): Promise<{ readonly userId: string; readonly call: Caller }>;
  close(): Promise<void>;
}

/** Opens it with the routes that `createRoutes` makes of the system. */
export const openCustomerRoutes = async (
  createRoutes: (system: TestSystem) => readonly Route[],
): Promise<OpenCustomerRoutes> => {
  const system = await openTestSystem();
  const factories = createFactories(system);
  const url = await system.serve({
    prefix: '/v1',
    routes: createRoutes(system),
    guard: idGuard,
  });
  const as = (userId?: string): Caller => bearerCaller(url, userId);
  return {
    system,
    factories,
    url,
    as,
    async customer() {
      const { userId } = await factories.customer();
      return { userId, call: as(userId) };
    },
    close: () => system.close(),
  };
};
