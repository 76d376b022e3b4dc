import type { Redis } from 'ioredis';
import { Gauge } from 'prom-client';
import { createTokenSigner, type TokenSigner } from '../platform/auth/jwt.ts';
import { createSystemClock, msBetween, type Clock } from '../platform/clock/clock.ts';
import { createFollowedClock } from '../platform/clock/followed-clock.ts';
import { createTimers, type Timers } from '../platform/clock/timers.ts';
import type { Environment } from '../platform/config/config.ts';
import {
  createBlindIndex,
  createSecretHasher,
  createVault,
  type BlindIndex,
  type SecretHasher,
  type Vault,
} from '../platform/crypto/index.ts';
import { createDatabase, type Database, type StaleReads } from '../platform/db/index.ts';
import { currentCustomer } from '../platform/http/index.ts';
import { createRandom, type Random } from '../platform/ids/random.ts';
import {
  createLogger,
  createMetrics,
  type Logger,
  type Metrics,
} from '../platform/observability/index.ts';
import { closeRedis, untilReady } from '../platform/redis/index.ts';
import { createSwitches, type Switches } from '../modules/settings/index.ts';
import { createAuditor, type Auditor } from '../modules/audit/index.ts';
import type { AdapterDeps } from '../adapters/adapter-deps.ts';
import type { ProcessConfig, ProcessKeys } from './load-config.ts';
import { createProcessGauges } from './create-process-gauges.ts';
import { openKeyring, type OpenKeyring } from './open-keyring.ts';
import { openReads } from './open-reads.ts';
import { openRedis } from './open-redis.ts';

/** The clients and services that every process of the service has. */
export interface Runtime {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly database: Database;
  /**
   * Reads data that may be some seconds old, for reports, registers, files and price histories
   * only.
   */
  readonly reads: StaleReads;
  /** Fails fast. It is for everything that a request waits for. */
  readonly redis: Redis;
  /** Business time. */
  readonly clock: Clock;
  /** Real time. */
  readonly wall: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly tokens: TokenSigner;
  readonly vault: Vault;
  /** The keys behind the vault. */
  readonly keys: Pick<OpenKeyring, 'start'>;
  readonly blindIndex: BlindIndex;
  readonly hasher: SecretHasher;
  readonly switches: Switches;
  readonly audit: Auditor;
  /** Closes the clients, when nothing uses them any more. */
  close(): Promise<void>;
}

const cacheWaitMs = 2000;

const noSecret = (): never => {
  throw new Error('this process has no JWT_SECRET');
};
/** Replaces the signer in a process that does not get the key and never uses it. */
const noTokens: TokenSigner = { sign: noSecret, verify: noSecret };

const createBusinessClock = async (
  config: ProcessConfig,
  { wall, logger, metrics }: Pick<Runtime, 'wall' | 'logger' | 'metrics'>,
) => {
  const { CLOCK_CONTROL: isMovable, CLOCK_URL: url } = config;
  if (!isMovable || url === undefined) return { clock: wall, stop: async () => {} };
  const onError = (error: unknown): void => logger.warn({ err: error }, 'the clock cannot be read');
  const clock = createFollowedClock({ url, onError });
  await clock.start();
  // The registry keeps the gauge. It shows which processes have followed a move of the sandbox's
  // clock.
  void new Gauge({
    name: 'business_clock_offset_seconds',
    help: "Seconds by which this process's business time is ahead of real time.",
    registers: [metrics.registry],
    collect() {
      this.set(msBetween(wall.now(), clock.now()) / 1000);
    },
  });
  return { clock, stop: () => clock.stop() };
};

const openDatabase = (
  name: string,
  config: ProcessConfig & ProcessKeys,
  { logger, metrics, timers }: Pick<Runtime, 'logger' | 'metrics' | 'timers'>,
): Database =>
  createDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    ...(config.DATABASE_LOCK_WAIT_MS !== undefined && {
      contention: {
        lockWaitMs: config.DATABASE_LOCK_WAIT_MS,
        turns: config.CUSTOMER_TURNS,
        callerOf: currentCustomer,
        onRefused: () => metrics.countBoundReached('customer_turns'),
      },
    }),
    applicationName: name,
    onPoolError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
    onReplaced: (reason) => logger.warn({ reason }, 'all database connections are discarded'),
    timers,
  });

/** Creates the clients of the process `name`. It does not wait until they are connected. */
export const createOfflineRuntime = async (
  name: string,
  config: ProcessConfig & ProcessKeys,
  env: Environment,
): Promise<Runtime> => {
  const logger = createLogger({ level: config.LOG_LEVEL, name });
  const metrics = createMetrics({ service: name });
  const wall = createSystemClock();
  const timers = createTimers();
  const random = createRandom();
  const { clock, stop } = await createBusinessClock(config, { wall, logger, metrics });
  const database = openDatabase(name, config, { logger, metrics, timers });
  const reads = openReads(name, config, { database, logger, metrics, timers });
  const redis = openRedis(config, 'fail-fast', {
    logger,
    commandTimeoutMs: config.REDIS_TIMEOUT_MS,
    connectionName: name,
  });
  const keys = openKeyring(config.PII_KEYRING, env, {
    db: database.db,
    timers,
    random,
    adapter: {
      clock,
      logger,
      observe: metrics.observeCall,
      observeCircuit: metrics.observeCircuit,
    },
    registry: metrics.registry,
  });
  const vault = createVault({ keyring: keys.keyring });
  const switches = createSwitches({ settingsDir: config.SETTINGS_DIR, env });
  createProcessGauges({
    registry: metrics.registry,
    connections: database.connections,
    redis,
    switches,
    build: { version: config.BUILD_VERSION, commit: config.BUILD_REVISION },
  });
  return {
    logger,
    metrics,
    database,
    reads,
    redis,
    clock,
    wall,
    timers,
    random,
    tokens:
      config.JWT_SECRET === undefined
        ? noTokens
        : createTokenSigner({ secret: config.JWT_SECRET, clock }),
    vault,
    keys,
    blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
    hasher: createSecretHasher({
      pepper: config.CREDENTIAL_PEPPER,
      registry: metrics.registry,
    }),
    switches,
    audit: createAuditor({ clock, random, vault }),
    async close() {
      await stop();
      await keys.close();
      await closeRedis(redis);
      await Promise.all([reads.close(), database.close()]);
    },
  };
};

/** Creates the clients of the process `name`. The stores need not be available yet. */
export const createRuntime: typeof createOfflineRuntime = async (name, config, env) => {
  const runtime = await createOfflineRuntime(name, config, env);
  // The wait only lets the first requests find the cache. A process also starts without it.
  await untilReady(runtime.redis, cacheWaitMs).catch(() => undefined);
  await runtime.keys.start();
  return runtime;
};

export const adapterDeps = ({ clock, logger, metrics }: Runtime): AdapterDeps => ({
  clock,
  logger,
  observe: metrics.observeCall,
  observeCircuit: metrics.observeCircuit,
  observeRow: metrics.observeOddRow,
});
