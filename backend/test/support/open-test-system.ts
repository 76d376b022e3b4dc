import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { createObjectStore } from '../../src/adapters/object-store/create-object-store.ts';
import type { ObjectStore } from '../../src/adapters/object-store/port.ts';
import type { Runtime } from '../../src/runtime/create-runtime.ts';
import { openSandbox, type OpenSandbox } from '../../src/apps/sandbox/testing/open-sandbox.ts';
import { createAuditor } from '../../src/modules/audit/index.ts';
import {
  createSettingCopies,
  createSwitches,
  type CacheSetting,
} from '../../src/modules/settings/index.ts';
import { createTokenSigner } from '../../src/platform/auth/jwt.ts';
import { createSystemClock, type Clock } from '../../src/platform/clock/clock.ts';
import { createManualClock, type ManualClock } from '../../src/platform/clock/manual-clock.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import {
  createBlindIndex,
  createSecretHasher,
  createVault,
  parseKeyring,
} from '../../src/platform/crypto/index.ts';
import {
  createDatabase,
  createPrimaryReads,
  type Db,
  type InTransaction,
} from '../../src/platform/db/index.ts';
import {
  createApi,
  currentCustomer,
  type Guard,
  type Route,
} from '../../src/platform/http/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createLogger, createMetrics } from '../../src/platform/observability/index.ts';
import { closeRedis } from '../../src/platform/redis/index.ts';
import { listen } from './listen.ts';
import { connectRedis } from './connect-redis.ts';
import { freshDatabase, type FreshDatabase } from './fresh-database.ts';
import { createTestEnvironment, type TestEnvironment } from './test-environment.ts';

/** The runtime of a process of the service, on stores of the test file's own and the sandbox. */
export interface TestSystem extends Omit<Runtime, 'clock'> {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  /** Business time. It stays at the real time of the start until it is moved. */
  readonly clock: ManualClock;
  readonly cacheSetting: CacheSetting;
  readonly addresses: FreshDatabase;
  /** The environment of a process on these stores and this sandbox. */
  readonly env: TestEnvironment;
  readonly sandbox: OpenSandbox;
  readonly provider: GoldProvider;
  /** The same provider through an adapter whose circuit breaker has seen nothing yet. */
  makeProvider(): GoldProvider;
  readonly objects: ObjectStore;
  /** The folder of the files of `objects`. */
  readonly objectsDir: string;
  /** A folder of the switches' files, empty at first. */
  readonly settingsDir: string;
  /** Everything logged so far. */
  logged(): string;
  /** Moves the business clock and the sandbox's. */
  advance(seconds: number): Promise<void>;
  /** Makes the next call of a collaborator's operation fail. `more` may say how and how often. */
  fault(collaborator: string, operation: string, fault: string, more?: object): Promise<void>;
  /** Lists the calls that a collaborator received for an operation, oldest first. */
  journal(collaborator: string, operation: string): Promise<readonly JournalEntry[]>;
  /** Serves routes as their API would. Returns the address with the prefix. */
  serve(api: ServedApi): Promise<string>;
  /** Runs `work` before the stores and the sandbox close. */
  beforeClose(work: () => Promise<void>): void;
}

/** A call that the sandbox received. */
export interface JournalEntry {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  readonly status: number;
  /** The fault that it met. */
  readonly fault?: string;
}

interface ServedApi {
  readonly prefix: string;
  readonly routes: readonly Route[];
  readonly guard: Guard;
  /** No limit unless given. */
  readonly rateLimit?: RequestHandler;
  /** Gets the server before it listens: for the price feed's sockets. */
  readonly onServer?: (server: Server) => void;
}

interface TestSystemOptions {
  /** The longest wait of a request for a row, in milliseconds. Unbounded unless given. */
  readonly lockWaitMs?: number;
  /** Real time, if a test moves that too. */
  readonly wall?: Clock;
  /** Instead of the test file's own Redis. */
  readonly redisUrl?: string;
  /** MPINs and passwords hashed at a time, as if by so many processes. */
  readonly hashesAtOnce?: number;
  /** With the seed of `make up`: evidence that opens the gates, accounts of every role. */
  readonly seeded?: boolean;
  /** Environment over the usual one, such as the gateways that there are. */
  readonly env?: Readonly<Record<string, string>>;
}

const next: RequestHandler = (_req, _res, go) => go();

const createApp = (api: ServedApi, system: Pick<TestSystem, 'logger' | 'random'>) =>
  createApi({
    info: { title: 'Test', version: '1', description: '', prefix: api.prefix },
    routes: api.routes,
    guard: api.guard,
    rateLimit: api.rateLimit ?? next,
    requestLog: next,
    metrics: next,
    logger: system.logger,
    random: system.random,
    trustProxyHops: 1,
    corsAllowedOrigins: [],
    internalHostnames: [],
    checkReplies: true,
    docs: true,
  });

/**
 * A collaborator that hangs cuts the connection after this long, so that a test of an unknown
 * outcome need not wait for the service's own time-out, which is longer than any answer takes.
 */
export const hangsForMs = 100;

/** Opens the stores, the sandbox and the clients of a test file. */
export const openTestSystem = async (options: TestSystemOptions = {}): Promise<TestSystem> => {
  const { wall = createSystemClock(), seeded = false } = options;
  const [addresses, sandbox] = await Promise.all([
    freshDatabase({ seeded }),
    // A test of a debit or a payout waits for its end: 500 ms, as in the sandbox's default, is long.
    openSandbox({ addsOddRows: true, hangMs: hangsForMs, settleMs: 30 }),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-system-'));
  const [objectsDir, settingsDir] = [
    mkdtempSync(join(folder, 'o-')),
    mkdtempSync(join(folder, 's-')),
  ];
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'debug', name: 'test', destination });
  const clock = createManualClock(createSystemClock().now());
  const random = createRandom();
  const database = createDatabase({
    url: addresses.databaseUrl,
    poolSize: 10,
    // Fifty requests at once share ten connections, on a machine that may be busy.
    connectionWaitMs: 60_000,
    applicationName: 'test',
    ...(options.lockWaitMs !== undefined && {
      contention: { lockWaitMs: options.lockWaitMs, callerOf: currentCustomer },
    }),
  });
  const redis = await connectRedis(options.redisUrl ?? addresses.redisUrl);
  const env = {
    ...createTestEnvironment({ addresses, sandboxUrl: sandbox.url, objectsDir, settingsDir }),
    ...options.env,
  };
  const providers: ReturnType<typeof createGoldProvider>[] = [];
  const makeProvider = () => {
    const provider = createGoldProvider(env, { clock, logger });
    providers.push(provider);
    return provider;
  };
  const servers: Server[] = [];
  const closing: (() => Promise<void>)[] = [];
  // Node's own metrics have timers and observers that nothing ends: each test file would add some.
  const metrics = createMetrics({ service: 'test', collectsDefaults: false });
  const vault = createVault({ keyring: parseKeyring(env.PII_KEYRING) });

  return {
    logger,
    metrics,
    database,
    reads: createPrimaryReads(database),
    db: database.db,
    inTransaction: database.inTransaction,
    redis,
    clock,
    wall,
    timers: createTimers(),
    random,
    tokens: createTokenSigner({ secret: env.JWT_SECRET, clock }),
    vault,
    keys: { start: async () => {} },
    blindIndex: createBlindIndex(env.BLIND_INDEX_KEY),
    hasher: createSecretHasher({
      pepper: env.CREDENTIAL_PEPPER,
      memoryKib: 1024,
      registry: metrics.registry,
      ...(options.hashesAtOnce !== undefined && { maxParallel: options.hashesAtOnce }),
    }),
    switches: createSwitches({ settingsDir, env: {} }),
    audit: createAuditor({ clock, random, vault }),
    cacheSetting: createSettingCopies(database.db),
    addresses,
    env,
    sandbox,
    provider: makeProvider(),
    makeProvider,
    objects: createObjectStore(env, { clock, logger }),
    objectsDir,
    settingsDir,
    logged: () => lines.join(''),
    async advance(seconds) {
      clock.advance(seconds * 1000);
      await sandbox.control('POST', '/clock', { advanceSeconds: seconds });
    },
    async fault(collaborator, operation, fault, more = {}) {
      const body = { collaborator, operation, fault, times: 1, ...more };
      const response = await sandbox.control('POST', '/faults', body);
      if (response.status >= 300) throw new Error(response.text);
    },
    async journal(collaborator, operation) {
      const query = new URLSearchParams({ collaborator, operation }).toString();
      const response = await sandbox.control('GET', `/journal?${query}`);
      // The journal's form is the sandbox's own, checked by its own tests.
      return response.body['entries'] as JournalEntry[];
    },
    async serve(api) {
      const server = createServer(createApp(api, { logger, random }));
      servers.push(server);
      api.onServer?.(server);
      return `${await listen(server)}${api.prefix}`;
    },
    beforeClose(work) {
      closing.push(work);
    },
    async close() {
      await Promise.all(closing.map((work) => work()));
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      await Promise.all(providers.map((client) => client.close()));
      await Promise.all([closeRedis(redis), sandbox.stop(), database.close()]);
      await addresses.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
