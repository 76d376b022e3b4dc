import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Random } from '../../platform/ids/random.ts';
import { createCache } from '../../platform/redis/index.ts';
import { portfolioView, type PortfolioView } from './holdings.schemas.ts';

/** The life of a portfolio summary (contract: limits > Caches). */
const portfolioTtlMs = 30_000;
/** Longer than any summary of an earlier generation can live. */
const generationTtlMs = 2 * portfolioTtlMs;
const firstGeneration = '';

export interface PortfolioCache {
  /** Returns the cached summary, or what `compute` returns, which is then cached. */
  read(userId: string, compute: () => Promise<PortfolioView>): Promise<PortfolioView>;
  /** Drops the summary, after the commit that changed the holding: it is not served again. */
  drop(userId: string): Promise<void>;
}

/**
 * Portfolio summaries. Each names the generation of its customer that it was computed in. A drop
 * begins a new one, so that a summary computed from the holding of before a commit, but cached
 * after its drop, is not served.
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
