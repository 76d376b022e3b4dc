import { createHash } from 'node:crypto';
import { MemoryStore, type Store } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { RedisStore, type RedisReply } from 'rate-limit-redis';

export interface FallbackStoreOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly onError?: (error: unknown) => void;
}

/** After a failure the cache is left alone for so long, so that requests don't wait for it. */
const restMs = 1000;

const isReply = (value: unknown): value is RedisReply =>
  Array.isArray(value) ? value.every(isReply) : /^(?:boolean|number|string)$/u.test(typeof value);

/**
 * Sends a raw command. The library keeps the promise of its first SCRIPT LOAD for ever, a rejected
 * one too; so a failed load answers the hash that it would have, and the script is loaded later,
 * when the cache says that it does not know it.
 */
const sendTo =
  (redis: Redis) =>
  async (...args: string[]): Promise<RedisReply> => {
    const [command = '', ...rest] = args;
    try {
      const reply = await redis.call(command, ...rest);
      if (isReply(reply)) return reply;
      throw new TypeError(`an unexpected reply to ${command}`);
    } catch (error) {
      if (command !== 'SCRIPT' || rest[0] !== 'LOAD') throw error;
      return createHash('sha1')
        .update(rest[1] ?? '')
        .digest('hex');
    }
  };

/**
 * Counts in the cache, shared by all replicas, and beside it in memory. While the cache is down
 * the count in memory decides: each replica counts alone instead of letting all through
 * (decisions, section 1, Rate limits).
 */
export const createFallbackStore = (options: FallbackStoreOptions): Store => {
  const { redis, prefix, onError = () => undefined } = options;
  const shared = new RedisStore({ prefix, sendCommand: sendTo(redis) });
  const local = new MemoryStore();
  let restUntil = 0;

  const isResting = (): boolean => performance.now() < restUntil;
  const rest = (error: unknown): void => {
    restUntil = performance.now() + restMs;
    onError(error);
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isResting()) return;
    try {
      await work();
    } catch (error) {
      rest(error);
    }
  };

  return {
    prefix,
    localKeys: false,
    init(configuration) {
      local.init(configuration);
      shared.init(configuration).catch(onError);
    },
    // The one that every request waits for, so with as few promises as it can have.
    async increment(key) {
      const alone = local.increment(key);
      if (isResting()) return alone;
      try {
        return await shared.increment(key);
      } catch (error) {
        rest(error);
        return alone;
      }
    },
    async decrement(key) {
      await local.decrement(key);
      await attempt(() => shared.decrement(key));
    },
    async resetKey(key) {
      await local.resetKey(key);
      await attempt(() => shared.resetKey(key));
    },
    shutdown: () => local.shutdown(),
  };
};
