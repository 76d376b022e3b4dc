import { Redis } from 'ioredis';
import type { Logger } from '../observability/logger.ts';

/**
 * `fail-fast`: a command fails at once while there is no connection, and after 200 ms (unless told
 * otherwise) when there is no answer; for everything a request waits for. `patient`: commands wait
 * for the connection; for subscriptions (the socket adapter).
 */
type RedisKind = 'fail-fast' | 'patient';

interface RedisExtras {
  readonly logger?: Logger;
  /** The time that a `fail-fast` command waits for its answer (default 200). */
  readonly commandTimeoutMs?: number;
  /** A name that `CLIENT LIST` shows. */
  readonly connectionName?: string;
}

const reconnectAfterMs = (attempt: number): number => Math.min(attempt * 100, 2000);

const optionsOf = {
  'fail-fast': { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  patient: { enableOfflineQueue: true, maxRetriesPerRequest: null },
} as const;

/**
 * Opens a client that keeps reconnecting for ever. Its errors are logged once for each loss of
 * the connection, never thrown: every caller says itself what happens without the cache.
 */
export const createRedis = (url: string, kind: RedisKind, extras: RedisExtras = {}): Redis => {
  const { logger, commandTimeoutMs = 200, connectionName } = extras;
  const redis = new Redis(url, {
    ...optionsOf[kind],
    ...(kind === 'fail-fast' && { commandTimeout: commandTimeoutMs }),
    connectTimeout: 2000,
    keepAlive: 30_000,
    noDelay: true,
    retryStrategy: reconnectAfterMs,
    ...(connectionName !== undefined && { connectionName }),
  });
  let isLossTold = false;
  redis.on('error', (error: Error) => {
    if (!isLossTold) logger?.warn({ err: error, kind }, 'the cache cannot be reached');
    isLossTold = true;
  });
  redis.on('ready', () => {
    if (isLossTold) logger?.info({ kind }, 'the cache is back');
    isLossTold = false;
  });
  return redis;
};

/** Resolves when the client is connected; rejects after `timeoutMs`. */
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

/** Rejects when the cache does not answer. */
export const pingRedis = async (redis: Redis): Promise<void> => {
  await redis.ping();
};

/** Closes cleanly where the cache answers, otherwise by dropping the connection. */
export const closeRedis = async (redis: Redis): Promise<void> => {
  if (redis.status === 'end') return;
  if (redis.status === 'ready') await redis.quit().catch(() => undefined);
  redis.disconnect();
};
