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

/** The pause after a failure of the cache, so that requests don't wait for the cache. */
const pauseMs = 1000;

const isReply = (value: unknown): value is RedisReply =>
  Array.isArray(value) ? value.every(isReply) : /^(?:boolean|number|string)$/u.test(typeof value);

const isUnknownScript = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT');

/**
 * Returns a function that sends raw commands. It does not load a script in advance, because a load
 * has no key and would go to any server of a cluster. The library would also keep the promise of
 * its first load forever, even if it was rejected. The hash is computed here instead. If the server
 * of the key does not know the script, the whole script is sent to that server.
 */
const sendTo = (redis: Redis) => {
  const scripts = new Map<string, string>();
  const send = async (command: string, ...args: string[]): Promise<RedisReply> => {
    const reply = await redis.call(command, ...args);
    if (isReply(reply)) return reply;
    throw new TypeError(`an unexpected reply to ${command}`);
  };
  return async (...args: string[]): Promise<RedisReply> => {
    const [command = '', first = '', ...others] = args;
    if (command === 'SCRIPT' && first === 'LOAD') {
      const [script = ''] = others;
      const hash = createHash('sha1').update(script).digest('hex');
      scripts.set(hash, script);
      return hash;
    }
    try {
      return await send(command, ...args.slice(1));
    } catch (error) {
      const script = command === 'EVALSHA' ? scripts.get(first) : undefined;
      if (script === undefined || !isUnknownScript(error)) throw error;
      return send('EVAL', script, ...others);
    }
  };
};

/**
 * Counts in the cache, which all replicas share, and also in memory. While the cache is down, the
 * count in memory decides. Each replica then counts separately instead of admitting every request
 * (contract: conventions > Rate limits).
 */
const createFallbackStore = (options: FallbackStoreOptions): Store => {
  const { redis, prefix, onError = () => undefined } = options;
  const shared = new RedisStore({ prefix, sendCommand: sendTo(redis) });
  const local = new MemoryStore();
  let pausedUntil = 0;
  let windowMs = 0;
  /** The time at which a request was last counted only in memory. */
  let missedAtMs = Number.NEGATIVE_INFINITY;

  const isPaused = (): boolean => performance.now() < pausedUntil;
  const pause = (error: unknown): void => {
    pausedUntil = performance.now() + pauseMs;
    onError(error);
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isPaused()) return;
    try {
      await work();
    } catch (error) {
      pause(error);
    }
  };

  const countLocally = (inMemory: Promise<Count>): Promise<Count> => {
    missedAtMs = performance.timeOrigin + performance.now();
    return inMemory;
  };
  /** Returns the higher count, because the cache misses requests that only the memory counted. */
  const higher = (inMemory: Count, inCache: Count): Count => {
    const beganAtMs = (inMemory.resetTime?.getTime() ?? 0) - windowMs;
    return missedAtMs >= beganAtMs && inMemory.totalHits > inCache.totalHits ? inMemory : inCache;
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
      // This is a copy, because the memory's own record keeps counting while the cache responds.
      const inMemory = local.increment(key).then((record) => ({ ...record }));
      if (isPaused()) return countLocally(inMemory);
      try {
        const inCache = await shared.increment(key);
        return missedAtMs === Number.NEGATIVE_INFINITY ? inCache : higher(await inMemory, inCache);
      } catch (error) {
        pause(error);
        return countLocally(inMemory);
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
  /** The name of the API in its counters and in the policy of the headers. */
  readonly prefix: string;
  /** The number of requests that a client may make in a window. */
  readonly limit: number;
  /** Real milliseconds, even if the business clock can be moved. */
  readonly windowMs: number;
  readonly onLimited?: (req: Request) => void;
  readonly onStoreError?: (error: unknown) => void;
}

/**
 * Limits requests per client IP (an IPv6 client by its /56), with the `RateLimit` and
 * `RateLimit-Policy` headers of draft 8. Beyond the limit, a request is refused with `RATE_LIMITED`
 * and `Retry-After`. Express finds the IP by `trust proxy`, which must be the number of hops.
 */
export const createRateLimit = (options: RateLimitOptions): RequestHandler => {
  const { redis, prefix, limit, windowMs, onLimited, onStoreError } = options;
  return rateLimit({
    windowMs,
    limit,
    identifier: prefix,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // `creationStack` reads a stack, which parses and keeps the source map of the whole process.
    // `unsharedStore` keeps every store in a list forever, and with it the store's API.
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
 * Counts one use by `key`. Returns undefined, or if the limit is exceeded, the seconds until
 * another use is free.
 */
type WindowLimit = (key: string) => Promise<number | undefined>;

/**
 * Limits the number of uses in a window that begins with the first use. It uses real time. Like
 * requests, uses are counted in the cache, and only in this replica while the cache is down
 * (contract: conventions > Rate limits).
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
  // The stores read only the window. The other options are for the middleware.
  void store.init?.({ windowMs } as Options);
  return async (key) => {
    const { totalHits, resetTime } = await store.increment(key);
    if (totalHits <= limit) return undefined;
    const nowMs = performance.timeOrigin + performance.now();
    const remainingMs = (resetTime?.getTime() ?? nowMs + windowMs) - nowMs;
    return Math.max(1, Math.ceil(remainingMs / 1000));
  };
};
