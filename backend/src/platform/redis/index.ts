export { createCache, type Cache, type CacheOptions } from './create-cache.ts';
export { closeRedis, createRedis, pingRedis, untilReady, type RedisKind } from './create-redis.ts';
export { withLock, type LockOptions } from './with-lock.ts';
