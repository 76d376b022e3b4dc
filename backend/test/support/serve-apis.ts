import {
  accountingVariables,
  createAccountingApi,
} from '../../src/apps/accounting/accounting-api.ts';
import { adminApiVariables, createAdminApi } from '../../src/apps/admin/admin-api.ts';
import { createCustomerApi, customerApiVariables } from '../../src/apps/customer/customer-api.ts';
import type { Runtime } from '../../src/runtime/create-runtime.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { closeRedis } from '../../src/platform/redis/index.ts';
import { connectRedis } from './connect-redis.ts';
import { asReplica } from './open-services.ts';
import type { TestSystem } from './open-test-system.ts';

export interface ServedOn {
  /** Environment over that of the system. */
  readonly env?: Readonly<Record<string, string>>;
  /** Clients in place of the system's. */
  readonly clients?: Partial<TestSystem>;
}

interface ServedApi<Api> {
  readonly api: Api;
  /** The address, with the prefix. */
  readonly url: string;
  /**
   * Closes the adapters and the connection, before the system does. The system closes the server.
   */
  close(): Promise<void>;
}

/** Makes the runtime of a process, which has a connection to Redis and metrics of its own. */
const openRuntime = async (
  system: TestSystem,
  clients: Partial<TestSystem> = {},
): Promise<{ readonly runtime: Runtime; readonly closeOwn: () => Promise<void> }> => {
  const own = await connectRedis(system.addresses.redisUrl);
  const runtime = { ...system, redis: own, ...asReplica(clients) };
  return { runtime, closeOwn: () => closeRedis(own) };
};

/** Returns what does the work once, when it is first called or the system closes. */
const closeOnce = (system: TestSystem, work: () => Promise<void>): (() => Promise<void>) => {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= work());
  system.beforeClose(close);
  return close;
};

/** Serves the customer API on this system's stores and sandbox, as its process builds it. */
export const serveCustomerApi = async (
  system: TestSystem,
  { env: own, clients }: ServedOn = {},
): Promise<ServedApi<ReturnType<typeof createCustomerApi>>> => {
  const env = { ...system.env, ...own };
  const config = loadConfig(customerApiVariables, env);
  const { runtime, closeOwn } = await openRuntime(system, clients);
  const api = createCustomerApi(config, env, runtime);
  const url = await system.serve(api.definition);
  return {
    api,
    url,
    close: closeOnce(system, async () => {
      await api.identity.settle();
      await Promise.all([api.sms.close(), api.objects.close(), api.services.close()]);
      await closeOwn();
    }),
  };
};

/** Serves the admin API on this system's stores and sandbox, as its process builds it. */
export const serveAdminApi = async (
  system: TestSystem,
  { env: own, clients }: ServedOn = {},
): Promise<ServedApi<ReturnType<typeof createAdminApi>>> => {
  const env = { ...system.env, ...own };
  const config = loadConfig(adminApiVariables, env);
  const { runtime, closeOwn } = await openRuntime(system, clients);
  const api = createAdminApi(config, env, runtime);
  const url = await system.serve(api.definition);
  return {
    api,
    url,
    close: closeOnce(system, async () => {
      await Promise.all([api.services.close(), api.objects.close(), api.ci?.close()]);
      await closeOwn();
    }),
  };
};

/** Serves the accounting API on this system's stores, as its process builds it. */
export const serveAccountingApi = async (
  system: TestSystem,
  { env: own, clients }: ServedOn = {},
): Promise<ServedApi<ReturnType<typeof createAccountingApi>>> => {
  const config = loadConfig(accountingVariables, { ...system.env, ...own });
  const { runtime, closeOwn } = await openRuntime(system, clients);
  const api = createAccountingApi(config, runtime);
  const url = await system.serve(api);
  return {
    api,
    url,
    close: closeOnce(system, async () => {
      await api.flush();
      await closeOwn();
    }),
  };
};
