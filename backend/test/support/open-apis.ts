import { bearerCaller, type Caller } from './caller.ts';
import { createFactories, type Factories, type MadeCustomer } from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { serveAdminApi, serveCustomerApi } from './serve-apis.ts';

/** The customer API and the admin API on a separate system, as their processes build them. */
export interface OpenApis {
  readonly system: TestSystem;
  readonly factories: Factories;
  /** The address of the customer API, with the prefix. */
  readonly url: string;
  /** The address of the admin API, with the prefix. */
  readonly adminUrl: string;
  /** A caller of the customer API: the customer of this token, or nobody. */
  as(token?: string): Caller;
  /** A signed-in customer. */
  customer(): Promise<MadeCustomer & { readonly call: Caller }>;
  close(): Promise<void>;
}

/** Opens both, with `env` over the usual environment. */
export const openApis = async (env: Readonly<Record<string, string>> = {}): Promise<OpenApis> => {
  const system = await openTestSystem({ env });
  const factories = createFactories(system);
  const [customerApi, adminApi] = await Promise.all([
    serveCustomerApi(system),
    serveAdminApi(system),
  ]);
  const as = (token?: string): Caller => bearerCaller(customerApi.url, token);
  return {
    system,
    factories,
    url: customerApi.url,
    adminUrl: adminApi.url,
    as,
    async customer() {
      const made = await factories.customer();
      return { ...made, call: as(made.token) };
    },
    close: () => system.close(),
  };
};
