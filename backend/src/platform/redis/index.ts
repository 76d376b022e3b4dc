export { createCache } from './create-cache.ts';
export { closeRedis, createRedis, pingRedis, untilReady } from './create-redis.ts';
export { withLock } from './with-lock.ts';
