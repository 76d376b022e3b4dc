import type { Redis } from 'ioredis';
import { createRedis, untilReady } from '../../src/platform/redis/create-redis.ts';

/**
 * Of a client that fails fast: it still does while there is no connection, and a busy machine may
 * take its time over an answer.
 */
export const unhurried = { commandTimeoutMs: 30_000 };

/** Opens a client that fails fast, and waits until it is connected. */
export const connectRedis = async (url: string): Promise<Redis> => {
  const redis = createRedis(url, 'fail-fast', unhurried);
  await untilReady(redis, 30_000);
  return redis;
};
