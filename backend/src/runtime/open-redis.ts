import type { Redis } from 'ioredis';
import { createRedis } from '../platform/redis/index.ts';
import type { ProcessConfig } from './load-config.ts';

type Kind = Parameters<typeof createRedis>[1];
type Extras = NonNullable<Parameters<typeof createRedis>[2]>;

/**
 * Opens a client of the cache that a process is configured with. It uses Sentinels if they are
 * configured.
 */
export const openRedis = (
  config: Pick<ProcessConfig, 'REDIS_URL' | 'REDIS_SENTINELS' | 'REDIS_SENTINEL_PASSWORD'>,
  kind: Kind,
  extras: Extras,
): Redis =>
  createRedis(config.REDIS_URL, kind, {
    ...extras,
    sentinels: config.REDIS_SENTINELS,
    sentinelPassword: config.REDIS_SENTINEL_PASSWORD,
  });
