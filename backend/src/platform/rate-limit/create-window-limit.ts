import type { Options } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { createFallbackStore } from './fallback-store.ts';

/** Counts one use by `key`; returns the seconds until another one is free where it was too many. */
export type WindowLimit = (key: string) => Promise<number | undefined>;

/**
 * Limits how often something is done in a window that begins with the first time, on real time.
 * Like the limit of requests it is counted in the cache, and in this replica alone while the cache
 * is down (contract: conventions > Rate limits).
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
  // The stores read the window alone; the rest is the middleware's.
  void store.init?.({ windowMs } as Options);
  return async (key) => {
    const { totalHits, resetTime } = await store.increment(key);
    if (totalHits <= limit) return undefined;
    const nowMs = performance.timeOrigin + performance.now();
    const leftMs = (resetTime?.getTime() ?? nowMs + windowMs) - nowMs;
    return Math.max(1, Math.ceil(leftMs / 1000));
  };
};
