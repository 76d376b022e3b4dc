import { Redis } from 'ioredis';
import { createTimers } from '../clock/timers.ts';
import { createRandom } from '../ids/random.ts';
import type { Logger } from '../observability/logger.ts';
import { isCluster, openCluster } from './open-cluster.ts';

/**
 * A command of a `fail-fast` client fails at once while there is no connection, and after 200 ms
 * (by default) without a response. Use it for everything that a request waits for. A command of a
 * `patient` client waits for the connection. Use it for subscriptions (the socket adapter).
 */
type RedisKind = 'fail-fast' | 'patient';

/** The address of a Sentinel. */
export interface RedisSentinel {
  readonly host: string;
  readonly port: number;
}

interface RedisExtras {
  readonly logger?: Logger;
  /** The time that a `fail-fast` command waits for its answer (default 200). */
  readonly commandTimeoutMs?: number;
  /** A name that `CLIENT LIST` shows. */
  readonly connectionName?: string;
  /**
   * The Sentinels that return the address of the master. The host of the URL is then the master's
   * name.
   */
  readonly sentinels?: readonly RedisSentinel[];
  readonly sentinelPassword?: string | undefined;
  /**
   * A client that writes. If that client leaves a server, this client leaves it too, since a client
   * that never writes would not notice.
   */
  readonly follows?: Redis;
}

/** A live server answers within this time. After this time, a client treats the server as gone. */
const silenceMs = 3000;
const pingEveryMs = 2000;

/**
 * Matches the errors of a server that became a replica, lost its master, or is still loading its
 * data.
 */
const notInService = /\b(?:READONLY|LOADING|MASTERDOWN)\b/u;
const leaving = 'not-in-service';

/**
 * Pings the server repeatedly. A subscriber only waits for messages and would not notice a lost
 * server.
 */
const keepPinging = (redis: Redis): void => {
  let timer: NodeJS.Timeout | undefined;
  const ping = (): void => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  };
  redis.on('ready', () => {
    clearInterval(timer);
    timer = setInterval(ping, pingEveryMs).unref();
  });
  redis.on('close', () => clearInterval(timer));
};

const reconnectAfterMs = (attempt: number): number => Math.min(attempt * 100, 2000);

/** Clients that their owner closes. They are not connected again. */
const closing = new WeakSet<Redis>();

/**
 * Reconnects a client that ended while it looked for its server. The library ends it permanently
 * when a Sentinel announces a new master at that moment, because it takes the closing of the old
 * connection for the closing of the client.
 */
const keepConnecting = (redis: Redis): void => {
  let isLooking = false;
  redis.on('connecting', () => {
    isLooking = true;
  });
  redis.on('close', () => {
    isLooking = false;
  });
  const connect = (): void => {
    if (!closing.has(redis)) redis.connect().catch(() => undefined);
  };
  redis.on('end', () => {
    if (isLooking) setTimeout(connect, reconnectAfterMs(1)).unref();
  });
};

const optionsOf = {
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  patient: { enableOfflineQueue: true, maxRetriesPerRequest: null },
} as const;

/**
 * Returns the settings by which a client finds the master through Sentinels. The connections to
 * Sentinels are encrypted like those to the master, by TLS for a `rediss://` address. Sentinels
 * announce a new master, so that a client leaves an old master that still answers.
 */
const bySentinels = (url: string, extras: RedisExtras) => {
  const { sentinels = [], sentinelPassword } = extras;
  if (sentinels.length === 0) return {};
  const { hostname, protocol } = new URL(url);
  const isEncrypted = protocol === 'rediss:';
  return {
    name: hostname,
    sentinels: [...sentinels],
    failoverDetector: true,
    sentinelCommandTimeout: 2000,
    sentinelRetryStrategy: reconnectAfterMs,
    sentinelReconnectStrategy: reconnectAfterMs,
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(isEncrypted && { enableTLSForSentinelMode: true, tls: {}, sentinelTLS: {} }),
  };
};

/** Returns the settings of the connection to a server. */
const ofEach = (kind: RedisKind, { commandTimeoutMs = 200, connectionName }: RedisExtras) => ({
  ...(kind === 'fail-fast' && { commandTimeout: commandTimeoutMs }),
  maxRetriesPerRequest: optionsOf[kind].maxRetriesPerRequest,
  connectTimeout: 2000,
  // A connection is closed if an answer does not come. TCP would wait for minutes.
  socketTimeout: Math.max(silenceMs, kind === 'fail-fast' ? commandTimeoutMs + 1000 : 0),
  keepAlive: 30_000,
  noDelay: true,
  ...(connectionName !== undefined && { connectionName }),
});

/** Opens a client of a server, or of the master that Sentinels name. */
const openServer = (url: string, kind: RedisKind, extras: RedisExtras): Redis => {
  const { follows } = extras;
  const redis = new Redis(url, {
    ...optionsOf[kind],
    ...bySentinels(url, extras),
    ...ofEach(kind, extras),
    reconnectOnError: ({ message }) => {
      if (!notInService.test(message)) return false;
      redis.emit(leaving);
      return true;
    },
    retryStrategy: reconnectAfterMs,
  });
  keepConnecting(redis);
  follows?.on(leaving, () => {
    if (redis.status === 'ready') redis.disconnect(true);
  });
  return redis;
};

/**
 * Opens a client of a server or of a cluster, which reconnects forever. A lost connection is logged
 * once and never thrown. Every caller decides what happens without the cache.
 */
export const createRedis = (url: string, kind: RedisKind, extras: RedisExtras = {}): Redis => {
  const { logger } = extras;
  const isPatient = kind === 'patient';
  const redis = isCluster(url)
    ? openCluster(url, { isPatient, reconnectAfterMs, ofEach: ofEach(kind, extras) })
    : openServer(url, kind, extras);
  let isLossLogged = false;
  redis.on('error', (error: Error) => {
    if (!isLossLogged) logger?.warn({ err: error, kind }, 'the cache cannot be reached');
    isLossLogged = true;
  });
  redis.on('ready', () => {
    if (isLossLogged) logger?.info({ kind }, 'the cache is back');
    isLossLogged = false;
  });
  keepPinging(redis);
  return redis;
};

/** Resolves when the client is connected. Rejects after `timeoutMs`. */
export const untilReady = async (redis: Redis, timeoutMs: number): Promise<void> => {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.off('ready', ready);
      reject(new Error('the cache was not ready in time'));
    }, timeoutMs);
    const ready = (): void => {
      clearTimeout(timer);
      resolve();
    };
    redis.once('ready', ready);
  });
};

/**
 * Rejects unless the cache stores a value and returns it. A ping is not enough, since a replica
 * answers it too.
 */
export const pingRedis = async (redis: Redis): Promise<void> => {
  const written = createRandom().uuid();
  const key = `probe:${written}`;
  await redis.set(key, written, 'PX', 5000);
  if ((await redis.get(key)) !== written)
    throw new Error('the cache did not return the written value');
};

const goodbyeMs = 1000;

/** Closes the client. If the cache does not answer, the connection is dropped. */
export const closeRedis = async (redis: Redis): Promise<void> => {
  closing.add(redis);
  if (redis.status === 'end') return;
  if (redis.status === 'ready') {
    const patience = new AbortController();
    await Promise.race([
      redis.quit().catch(() => undefined),
      createTimers().sleep(goodbyeMs, patience.signal),
    ]);
    patience.abort();
  }
  redis.disconnect();
};
