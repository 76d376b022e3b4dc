import type { Redis } from 'ioredis';
import { AppError } from '../errors/app-error.ts';
import type { RefusalLimit } from '../http/index.ts';
import { createWindowLimit } from './create-rate-limit.ts';

interface RefusalLimitOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** The refusals of a client in a window. */
  readonly limit: number;
  readonly windowMs: number;
  readonly onLimited?: () => void;
  readonly onStoreError?: (error: unknown) => void;
}

/** The most clients that are remembered as refused. Of more, those refused first are let in. */
const mostClients = 10_000;

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status < 500;

/**
 * Limits how often a client may be refused in a window. Accepted requests are not counted, so that
 * a sender with valid signatures has no limit. A check costs nothing: the clients at the limit are
 * in memory, and the count in the cache is for the other replicas.
 */
export const createRefusalLimit = (options: RefusalLimitOptions): RefusalLimit => {
  const { limit, windowMs, onLimited, ...store } = options;
  // The count is over one sooner than the limit: the next request is not to be read at all.
  const count = createWindowLimit({ ...store, windowMs, limit: limit - 1 });
  const refusedUntil = new Map<string, number>();

  const refuse = (client: string, seconds: number): void => {
    refusedUntil.delete(client);
    refusedUntil.set(client, performance.now() + seconds * 1000);
    const [oldest] = refusedUntil.keys();
    if (refusedUntil.size > mostClients && oldest !== undefined) refusedUntil.delete(oldest);
  };
  const throwIfRefused = (client: string): void => {
    const until = refusedUntil.get(client);
    if (until === undefined) return;
    const leftMs = until - performance.now();
    if (leftMs <= 0) {
      refusedUntil.delete(client);
      return;
    }
    onLimited?.();
    throw new AppError('RATE_LIMITED', { retryAfterSeconds: leftMs / 1000 });
  };

  return {
    async watch(client, work) {
      throwIfRefused(client);
      try {
        return await work();
      } catch (error) {
        if (isRefusal(error)) {
          const seconds = await count(client);
          if (seconds !== undefined) refuse(client, seconds);
        }
        throw error;
      }
    },
  };
};
