import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** Stores values that may be lost at any time. No method throws if the cache fails. */
export interface Cache<T> {
  /** Returns undefined if the value is absent, has an older shape, or can't be read now. */
  get(key: string): Promise<T | undefined>;
  /** Returns true if the value was stored. */
  set(key: string, value: T, ttlMs?: number): Promise<boolean>;
  /** Returns true if the keys are certainly deleted. */
  del(...keys: readonly string[]): Promise<boolean>;
}

interface CacheOptions<T> {
  readonly redis: Redis;
  /** Names the kind of value. It is part of every key. */
  readonly prefix: string;
  /** The schema of a value that is read, since another version may have written the value. */
  readonly schema: z.ZodType<T>;
  /** The life of an entry, on real time (contract: collaborators > Time). */
  readonly ttlMs: number;
  readonly onError?: (error: unknown) => void;
}

/** Creates a cache of JSON values under `prefix`. A failure is a miss. */
export const createCache = <T>(options: CacheOptions<T>): Cache<T> => {
  const { redis, prefix, schema, ttlMs, onError = () => undefined } = options;
  const keyOf = (key: string): string => `${prefix}:${key}`;

  return {
    async get(key) {
      try {
        const text = await redis.get(keyOf(key));
        if (text === null) return undefined;
        const parsed = schema.safeParse(JSON.parse(text));
        return parsed.success ? parsed.data : undefined;
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    async set(key, value, lifeMs = ttlMs) {
      try {
        await redis.set(keyOf(key), JSON.stringify(value), 'PX', Math.max(1, Math.ceil(lifeMs)));
        return true;
      } catch (error) {
        onError(error);
        return false;
      }
    },
    async del(...keys) {
      if (keys.length === 0) return true;
      try {
        // Sends one command for each key, since the keys may be on different servers of a cluster.
        await Promise.all(keys.map((key) => redis.del(keyOf(key))));
        return true;
      } catch (error) {
        onError(error);
        return false;
      }
    },
  };
};
