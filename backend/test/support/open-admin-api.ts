import { bearerCaller, type Caller } from './caller.ts';
import { createFactories, type Factories } from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { serveAdminApi } from './serve-apis.ts';

/** The admin API on the stores of a test file, as its process builds it. */
export interface OpenAdminApi {
  readonly system: TestSystem;
  readonly factories: Factories;
  readonly api: Awaited<ReturnType<typeof serveAdminApi>>['api'];
  /** The address, with the prefix. */
  readonly url: string;
  /** A caller: the operator of this token, or nobody. */
  as(token?: string): Caller;
  close(): Promise<void>;
}

/** Opens it, with `env` over the usual environment. */
export const openAdminApi = async (
  env: Readonly<Record<string, string>> = {},
): Promise<OpenAdminApi> => {
  const system = await openTestSystem({ env });
  const { api, url } = await serveAdminApi(system);
  return {
    system,
    factories: createFactories(system),
    api,
    url,
    as: (token) => bearerCaller(url, token),
    close: () => system.close(),
  };
};
