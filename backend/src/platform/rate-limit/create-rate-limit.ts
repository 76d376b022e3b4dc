import { createHash } from 'node:crypto';
import {
  MemoryStore,
  rateLimit,
  type ClientRateLimitInfo as Count,
  type Store,
  type Options,
} from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../errors/app-error.ts';

interface FallbackStoreOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly onError?: (error: unknown) => void;
}

/** The pause after a failure of the cache, so that requests don't wait for it. */
const restMs = 1000;

const isReply = (value: unknown): value is RedisReply =>
  Array.isArray(value) ? value.every(isReply) : /^(?:boolean|number|string)$/u.test(typeof value);

const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT');

/**
 * Sends raw commands. A script is not loaded beforehand: that has no key, so in a cluster it would
 * reach any server, and the library keeps the promise of its first load for ever, a rejected one
 * too. The hash is worked out here, and the script goes along to a server that says that it does
 * not know it, which is the server of its key.
 */
const sendTo = (redis: Redis) => {
  const scripts = new Map<string, string>();
  const send = async (command: string, ...rest: string[]): Promise<RedisReply> => {
    const reply = await redis.call(command, ...rest);
    if (isReply(reply)) return reply;
    throw new TypeError(`an unexpected reply to ${command}`);
  };
  return async (...args: string[]): Promise<RedisReply> => {
    const [command = '', first = '', ...rest] = args;
    if (command === 'SCRIPT' && first === 'LOAD') {
      const [script = ''] = rest;
      const hash = createHash('sha1').update(script).digest('hex');
      scripts.set(hash, script);
      return hash;
    }
    try {
      return await send(command, ...args.slice(1));
    } catch (error) {
      const script = command === 'EVALSHA' ? scripts.get(first) : undefined;
      if (script === undefined || !isUnknownScript(error)) throw error;
      return send('EVAL', script, ...rest);
    }
  };
};

/**
 * Counts in the cache, which all replicas share, and also in memory. While the cache is down, the
 * count in memory decides: each replica counts separately instead of admitting every request
 * (contract: conventions > Rate limits).
 */
const createFallbackStore = (options: FallbackStoreOptions): Store => {
  const { redis, prefix, onError = () => undefined } = options;
  const shared = new RedisStore({ prefix, sendCommand: sendTo(redis) });
  const local = new MemoryStore();
  let restUntil = 0;
  let windowMs = 0;
  /** The time at which a request was last counted only in memory. */
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
  /**
   * Requests that were counted only in memory are missing in the cache, so the higher count holds.
   */
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
    // Every request waits for this function, so it creates as few promises as possible.
    async increment(key) {
      // A copy, because the memory's own record keeps counting while the cache responds.
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

interface RateLimitOptions {
  readonly redis: Redis;
  /** Names the API in its counters and in the policy of the headers. */
  readonly prefix: string;
  /** The requests of a client in a window. */
  readonly limit: number;
  /** Real milliseconds, even if the business clock can be moved. */
  readonly windowMs: number;
  readonly onLimited?: (req: Request) => void;
  readonly onStoreError?: (error: unknown) => void;
}

/**
 * Limits requests per client IP (an IPv6 client by its /56), with the `RateLimit` and
 * `RateLimit-Policy` headers of draft 8. Beyond the limit: `RATE_LIMITED` with `Retry-After`.
 * The IP is what Express's `trust proxy` says, so that must be set to the number of hops.
 */
export const createRateLimit = (options: RateLimitOptions): RequestHandler => {
  const { redis, prefix, limit, windowMs, onLimited, onStoreError } = options;
  return rateLimit({
    windowMs,
    limit,
    identifier: prefix,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The first reads a stack, which parses and keeps the source map of the whole process. The second
    // keeps every store in a list for ever, and with it the API that the store was made for.
    validate: { creationStack: false, unsharedStore: false },
    ipv6Subnet: 56,
    store: createFallbackStore({
      redis,
      prefix: `rate-limit:${prefix}:`,
      ...(onStoreError !== undefined && { onError: onStoreError }),
    }),
    handler: (req, res, next) => {
      onLimited?.(req);
      const retryAfterSeconds = Number(res.getHeader('retry-after') ?? windowMs / 1000);
      next(new AppError('RATE_LIMITED', { retryAfterSeconds }));
    },
  });
};

/**
 * Counts one use by `key`. Where it was too many it returns the seconds until another one is free.
 */
type WindowLimit = (key: string) => Promise<number | undefined>;

/**
 * Limits how often something is done in a window that begins with the first time. It uses real
 * time. Like the limit of requests it is counted in the cache, and only in this replica while the
 * cache is down (contract: conventions > Rate limits).
 */
export const createWindowLimit = (options: {
  readonly redis: Redis;
  readonly prefix: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly onStoreError?: (error: unknown) => void;
}): WindowLimit => {
  const { redis, prefix, limit, windowMs, onStoreError } = options;
  const store = createFallbackStore({
    redis,
    prefix: `window-limit:${prefix}:`,
    ...(onStoreError !== undefined && { onError: onStoreError }),
  });
  // The stores read only the window. The rest is the middleware's.
  void store.init?.({ windowMs } as Options);
  return async (key) => {
    const { totalHits, resetTime } = await store.increment(key);
    if (totalHits <= limit) return undefined;
    const nowMs = performance.timeOrigin + performance.now();
    const leftMs = (resetTime?.getTime() ?? nowMs + windowMs) - nowMs;
    return Math.max(1, Math.ceil(leftMs / 1000));
  };
};
