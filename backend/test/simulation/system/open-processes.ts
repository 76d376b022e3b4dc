import { createServer, type Server } from 'node:http';
import type { Redis } from 'ioredis';
import {
  createAccountingApi,
  accountingVariables,
} from '../../../src/apps/accounting/accounting-api.ts';
import { adminApiVariables, createAdminApi } from '../../../src/apps/admin/admin-api.ts';
import {
  createCustomerApi,
  customerApiVariables,
} from '../../../src/apps/customer/customer-api.ts';
import { createSweeps } from '../../../src/apps/worker/create-sweeps.ts';
import { createTasks } from '../../../src/apps/worker/create-tasks.ts';
import { createWorkerBooks } from '../../../src/apps/worker/create-worker-reconciliation.ts';
import { workerProcessVariables } from '../../../src/apps/worker/worker.variables.ts';
import { createAuditor } from '../../../src/modules/audit/index.ts';
import { createKycEvents } from '../../../src/modules/kyc/index.ts';
import { createSwitches } from '../../../src/modules/settings/index.ts';
import { createObjectStore } from '../../../src/adapters/object-store/create-object-store.ts';
import { createTokenSigner } from '../../../src/platform/auth/jwt.ts';
import type { ManualClock } from '../../../src/platform/clock/manual-clock.ts';
import { createTimers } from '../../../src/platform/clock/timers.ts';
import {
  createBlindIndex,
  createSecretHasher,
  createVault,
  parseKeyring,
} from '../../../src/platform/crypto/index.ts';
import { createDatabase, createPrimaryReads } from '../../../src/platform/db/index.ts';
import { currentCustomer } from '../../../src/platform/http/index.ts';
import { createRandom } from '../../../src/platform/ids/random.ts';
import {
  createScheduleMover,
  type Sweep,
  type TaskList,
} from '../../../src/platform/jobs/index.ts';
import { createMetrics, type Logger } from '../../../src/platform/observability/index.ts';
import { closeRedis } from '../../../src/platform/redis/index.ts';
import { adapterDeps, type Runtime } from '../../../src/runtime/create-runtime.ts';
import { createApiApp } from '../../../src/runtime/create-api-app.ts';
import { createServices } from '../../../src/runtime/create-services.ts';
import { loadConfig, type ProcessConfig } from '../../../src/runtime/load-config.ts';
import { environmentOf, type StackAddresses } from '../../../dev/stack/environment.ts';
import { connectRedis } from '../../support/connect-redis.ts';
import { listen } from '../../support/listen.ts';

export interface ProcessesOptions {
  readonly addresses: StackAddresses;
  readonly clock: ManualClock;
  readonly logger: Logger;
  /** Variables that replace those of every process. */
  readonly env: Readonly<Record<string, string>>;
}

/** A replica of the worker. */
interface SimulatedWorker {
  readonly tasks: TaskList;
  readonly sweeps: readonly Sweep[];
  /** Moves the jobs whose business time has come to the queue. */
  moveDueJobs(): Promise<number>;
}

/** The service's processes, wired as in their `main`, but all in this process. */
export interface Processes extends SimulatedWorker {
  /** The addresses of the replicas of each API, any of which can get a request. */
  readonly urls: Readonly<Record<'customer' | 'admin' | 'accounting', readonly string[]>>;
  /** The replicas of the worker. The fields of a worker above are those of the first. */
  readonly workers: readonly [SimulatedWorker, SimulatedWorker];
  readonly redis: Redis;
  close(): Promise<void>;
}

const poolSize = 3;

const noTokens = (): never => {
  throw new Error('this process has no JWT_SECRET');
};

/** Opens the clients of a process, on a clock that only the story advances. */
const openRuntime = async (
  name: string,
  config: ProcessConfig & { readonly JWT_SECRET?: string | undefined },
  { clock, logger, env }: ProcessesOptions,
): Promise<Runtime> => {
  const random = createRandom();
  const metrics = createMetrics({ service: name, collectsDefaults: false });
  const timers = createTimers();
  const database = createDatabase({
    url: config.DATABASE_URL,
    poolSize,
    connectionWaitMs: 60_000,
    applicationName: `simulated-${name}`,
    ...(name !== 'worker' && {
      contention: { lockWaitMs: 30_000, turns: 4, callerOf: currentCustomer },
    }),
    timers,
  });
  const redis = await connectRedis(config.REDIS_URL);
  const vault = createVault({ keyring: parseKeyring(config.PII_KEYRING ?? '') });
  return {
    logger,
    metrics,
    database,
    reads: createPrimaryReads(database),
    redis,
    clock,
    wall: clock,
    timers,
    random,
    tokens:
      config.JWT_SECRET === undefined
        ? { sign: noTokens, verify: noTokens }
        : createTokenSigner({ secret: config.JWT_SECRET, clock }),
    vault,
    keys: { start: async () => {} },
    blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
    hasher: createSecretHasher({ pepper: config.CREDENTIAL_PEPPER, registry: metrics.registry }),
    switches: createSwitches({ settingsDir: config.SETTINGS_DIR, env }),
    audit: createAuditor({ clock, random, vault }),
    async close() {
      await closeRedis(redis);
      await database.close();
    },
  };
};

type Closer = () => unknown;

const openWorker = async (options: ProcessesOptions, closers: Closer[]) => {
  const env = { ...environmentOf('worker', options.addresses), ...options.env };
  const config = loadConfig(workerProcessVariables, env);
  const runtime = await openRuntime('worker', config, options);
  const { database, clock, logger } = runtime;
  const { db, inTransaction } = database;
  const objects = createObjectStore(env, adapterDeps(runtime));
  const services = createServices(config, env, runtime, { receivesWebhooks: false });
  const kycEvents = createKycEvents({ ...runtime, db, inTransaction });
  const books = createWorkerBooks(config, runtime, services);
  const mover = createScheduleMover({ db, clock, logger });
  closers.push(
    () => services.close(),
    () => objects.close(),
    () => runtime.close(),
  );
  return {
    tasks: createTasks(services, { kycEvents, books }),
    sweeps: createSweeps({
      config,
      runtime,
      services,
      kycEvents,
      objects,
      ci: undefined,
      books,
    }),
    moveDueJobs: () => mover.tick(),
    redis: runtime.redis,
  };
};

const serve = async (app: Parameters<typeof createServer>[1], closers: Closer[]) => {
  const server: Server = createServer(app);
  closers.unshift(() => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server);
};

const openCustomer = async (options: ProcessesOptions, closers: Closer[]): Promise<string> => {
  const env = { ...environmentOf('customer', options.addresses), ...options.env };
  const config = loadConfig(customerApiVariables, env);
  const runtime = await openRuntime('customer', config, options);
  const { definition, sms, objects, services } = createCustomerApi(config, env, runtime);
  closers.push(
    () => sms.close(),
    () => objects.close(),
    () => services.close(),
    () => runtime.close(),
  );
  return serve(createApiApp(definition, config, runtime), closers);
};

const openAdmin = async (options: ProcessesOptions, closers: Closer[]): Promise<string> => {
  const env = { ...environmentOf('admin', options.addresses), ...options.env };
  const config = loadConfig(adminApiVariables, env);
  const runtime = await openRuntime('admin', config, options);
  const { definition, services, ci, objects } = createAdminApi(config, env, runtime);
  closers.push(
    () => services.close(),
    () => ci?.close(),
    () => objects.close(),
    () => runtime.close(),
  );
  return serve(createApiApp(definition, config, runtime), closers);
};

const openAccounting = async (options: ProcessesOptions, closers: Closer[]): Promise<string> => {
  const env = { ...environmentOf('accounting', options.addresses), ...options.env };
  const config = loadConfig(accountingVariables, env);
  const runtime = await openRuntime('accounting', config, options);
  const definition = createAccountingApi(config, runtime);
  closers.push(definition.flush, () => runtime.close());
  return serve(createApiApp(definition, config, runtime), closers);
};

/** Opens the three APIs and the worker, some of them twice. Nothing runs by itself. */
export const openProcesses = async (options: ProcessesOptions): Promise<Processes> => {
  const closers: Closer[] = [];
  const [customer, secondCustomer, admin, accounting, worker, secondWorker] = await Promise.all([
    openCustomer(options, closers),
    openCustomer(options, closers),
    openAdmin(options, closers),
    openAccounting(options, closers),
    openWorker(options, closers),
    openWorker(options, closers),
  ]);
  return {
    urls: { customer: [customer, secondCustomer], admin: [admin], accounting: [accounting] },
    ...worker,
    workers: [worker, secondWorker],
    async close() {
      for (const close of closers) await close();
    },
  };
};
