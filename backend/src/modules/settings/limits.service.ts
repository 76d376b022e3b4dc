import type { Clock } from '../../platform/clock/clock.ts';
import type { Redis } from 'ioredis';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { createCache } from '../../platform/redis/index.ts';
import { limitsView, presentLimits, toLimits } from './settings.schemas.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { createLimitsStore } from './limits.store.ts';

export interface LimitsService {
  /** The limits in force, from the cache where it has them. */
  current(): Promise<Limits>;
  /** Replaces all; `also` runs in the same transaction with what stood before. */
  replace(
    limits: Limits,
    adminId: string,
    also: (db: Db, before: Limits) => Promise<void>,
  ): Promise<void>;
}

const cacheKey = 'current';
/** Bounds how long a replica may serve what another one has just replaced. */
const cacheTtlMs = 10_000;

/** PostgreSQL keeps the limits; the cache serves them and its loss changes nothing. */
export const createLimitsService = (options: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly redis: Redis;
  readonly clock: Clock;
}): LimitsService => {
  const { db, inTransaction, clock } = options;
  const cache = createCache({
    redis: options.redis,
    prefix: 'limits',
    schema: limitsView,
    ttlMs: cacheTtlMs,
  });
  return {
    async current() {
      const cached = await cache.get(cacheKey);
      if (cached !== undefined) return toLimits(cached);
      const limits = (await createLimitsStore(db).find()) ?? defaultLimits;
      await cache.set(cacheKey, presentLimits(limits));
      return limits;
    },

    async replace(limits, adminId, also) {
      await inTransaction(async (tx) => {
        const store = createLimitsStore(tx);
        await store.lock();
        await also(tx, (await store.find()) ?? defaultLimits);
        await store.replace(limits, adminId, clock.now());
      });
      await cache.del(cacheKey);
    },
  };
};
