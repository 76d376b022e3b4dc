import type { Redis } from 'ioredis';
import { AppError } from '../errors/app-error.ts';
import type { RefusalLimit } from '../http/index.ts';
import { createWindowLimit } from './create-rate-limit.ts';

interface RefusalLimitOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** The number of refusals of a client that are allowed in a window. */
  readonly limit: number;
  readonly windowMs: number;
  readonly onLimited?: () => void;
  readonly onStoreError?: (error: unknown) => void;
}

/**
 * The limit of clients that are remembered as refused. If there are more, the earliest refused
 * clients are admitted.
 */
const maxClients = 10_000;

const isRefusal = (error: unknown): boolean => error instanceof AppError && error.status < 500;

/**
 * Limits how often a client may be refused in a window. Accepted requests are not counted, so that
 * a sender with valid signatures has no limit. A check costs nothing, since the clients at the
 * limit are in memory. The count in the cache is for the other replicas.
 */
export const createRefusalLimit = (options: RefusalLimitOptions): RefusalLimit => {
  const { limit, windowMs, onLimited, ...store } = options;
  // The count exceeds its limit one refusal earlier, since the next request must not be read at
  // all.
  const count = createWindowLimit({ ...store, windowMs, limit: limit - 1 });
  const refusedUntil = new Map<string, number>();

  const refuse = (client: string, seconds: number): void => {
    refusedUntil.delete(client);
    refusedUntil.set(client, performance.now() + seconds * 1000);
    const [oldest] = refusedUntil.keys();
    if (refusedUntil.size > maxClients && oldest !== undefined) refusedUntil.delete(oldest);
  };
  const throwIfRefused = (client: string): void => {
    const until = refusedUntil.get(client);
    if (until === undefined) return;
    const remainingMs = until - performance.now();
    if (remainingMs <= 0) {
      refusedUntil.delete(client);
      return;
    }
    onLimited?.();
    throw new AppError('RATE_LIMITED', { retryAfterSeconds: remainingMs / 1000 });
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
