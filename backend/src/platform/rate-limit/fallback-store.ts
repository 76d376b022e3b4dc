import { createHash } from 'node:crypto';
import { MemoryStore, type ClientRateLimitInfo as Count, type Store } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { RedisStore, type RedisReply } from 'rate-limit-redis';

export interface FallbackStoreOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly onError?: (error: unknown) => void;
}

/** The pause after a failure of the cache, so that requests don't wait for it. */
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
 * (contract: conventions > Rate limits).
 */
export const createFallbackStore = (options: FallbackStoreOptions): Store => {
  const { redis, prefix, onError = () => undefined } = options;
  const shared = new RedisStore({ prefix, sendCommand: sendTo(redis) });
  const local = new MemoryStore();
  let restUntil = 0;
  let windowMs = 0;
  /** The time at which a request was last counted in memory alone. */
  let missedAtMs = Number.NEGATIVE_INFINITY;

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

  const countAlone = (alone: Promise<Count>): Promise<Count> => {
    missedAtMs = performance.timeOrigin + performance.now();
    return alone;
  };
  /** Requests counted in memory alone are missing in the cache: the higher count holds. */
  const higher = (alone: Count, together: Count): Count => {
    const beganAtMs = (alone.resetTime?.getTime() ?? 0) - windowMs;
    return missedAtMs >= beganAtMs && alone.totalHits > together.totalHits ? alone : together;
  };

  return {
    prefix,
    localKeys: false,
    init(configuration) {
      windowMs = configuration.windowMs;
      local.init(configuration);
      shared.init(configuration).catch(onError);
    },
    // The one that every request waits for, so with as few promises as it can have.
    async increment(key) {
      // A copy: the memory's own record goes on counting while the cache is asked.
      const alone = local.increment(key).then((record) => ({ ...record }));
      if (isResting()) return countAlone(alone);
      try {
        const together = await shared.increment(key);
        return missedAtMs === Number.NEGATIVE_INFINITY ? together : higher(await alone, together);
      } catch (error) {
        rest(error);
        return countAlone(alone);
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
