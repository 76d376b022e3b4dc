export { createCache } from './create-cache.ts';
export {
  closeRedis,
  createRedis,
  pingRedis,
  untilReady,
  type RedisSentinel,
} from './create-redis.ts';
export { withLock } from './with-lock.ts';
