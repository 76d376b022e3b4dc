import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Random } from '../../platform/ids/random.ts';
import { createCache } from '../../platform/redis/index.ts';
import { portfolioView, type PortfolioView } from './holdings.schemas.ts';

/** The life of a cached portfolio summary in ms (contract: limits > Caches). */
const portfolioTtlMs = 30_000;
/** The life of a generation in ms. It is longer than the life of any summary before it. */
const generationTtlMs = 2 * portfolioTtlMs;
const firstGeneration = '';

export interface PortfolioCache {
  /** Returns the cached summary. If there is none, caches and returns the result of `compute`. */
  read(userId: string, compute: () => Promise<PortfolioView>): Promise<PortfolioView>;
  /** Drops the summary after the commit that changed the holding, so that it is not served again. */
  drop(userId: string): Promise<void>;
}

/**
 * Creates the cache of portfolio summaries. Each summary names the customer's generation in which it
 * was computed, and a drop begins a new generation. A summary may be computed before a commit and
 * cached after the drop that follows the commit. Such a summary is of an earlier generation, so it is
 * not served.
 */
export const createPortfolioCache = (options: {
  readonly redis: Redis;
  readonly random: Random;
}): PortfolioCache => {
  const { redis, random } = options;
  const entries = createCache({
    redis,
    prefix: 'portfolio',
    schema: z.object({ generation: z.string(), view: portfolioView }),
    ttlMs: portfolioTtlMs,
  });
  const generations = createCache({
    redis,
    prefix: 'portfolio-generation',
    schema: z.string(),
    ttlMs: generationTtlMs,
  });
  return {
    async read(userId, compute) {
      const [entry, generation = firstGeneration] = await Promise.all([
        entries.get(userId),
        generations.get(userId),
      ]);
      if (entry?.generation === generation) return entry.view;
      const view = await compute();
      await entries.set(userId, { generation, view });
      return view;
    },
    async drop(userId) {
      await generations.set(userId, random.uuid());
      await entries.del(userId);
    },
  };
};
