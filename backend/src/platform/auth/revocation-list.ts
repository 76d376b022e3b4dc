import type { Redis } from 'ioredis';

export interface RevocationList {
  /** Rejects every token that carries one of `ids`, for `ttlSeconds` of real time. */
  revoke(ids: readonly string[], ttlSeconds: number): Promise<void>;
  isRevoked(ids: readonly string[]): Promise<boolean>;
}

const keyOf = (id: string): string => `revoked:${id}`;

/**
 * Stores revoked sessions and families in the cache. While the cache is down the check is skipped
 * and tokens last until they expire (contract: identity-and-kyc > Authenticated requests). The
 * subject itself is still looked up in the store on every request.
 */
export const createRevocationList = (options: {
  readonly redis: Redis;
  readonly onError: (error: unknown) => void;
}): RevocationList => ({
  async revoke(ids, ttlSeconds) {
    const lifeSeconds = Math.max(1, Math.ceil(ttlSeconds));
    const writes = ids.map((id) => options.redis.set(keyOf(id), '1', 'EX', lifeSeconds));
    await Promise.all(writes).catch(options.onError);
  },
  async isRevoked(ids) {
    if (ids.length === 0) return false;
    try {
      // Sends one command for each key, since the keys may be on different servers of a cluster.
      const found = await Promise.all(ids.map((id) => options.redis.exists(keyOf(id))));
      return found.some((count) => count > 0);
    } catch (error) {
      options.onError(error);
      return false;
    }
  },
});
