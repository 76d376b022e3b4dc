import type { Request, RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { AppError } from '../errors/app-error.ts';
import { createFallbackStore } from './fallback-store.ts';

export interface RateLimitOptions {
  readonly redis: Redis;
  /** Names the API: its counters and the policy in the headers. */
  readonly prefix: string;
  /** Requests of one client in one window. */
  readonly limit: number;
  /** Real milliseconds, also where the business clock can be moved. */
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
