/** Unwrapped data keys in memory, few and not for long. */
export interface DataKeyCache {
  get(userId: string): Buffer | undefined;
  /** Ignored for a user whose key was dropped less than a life ago. */
  put(userId: string, key: Buffer): void;
  /** Forgets the key and refuses to take one for this user for a life. */
  drop(userId: string): void;
}

interface DataKeyCacheOptions {
  readonly maxEntries?: number;
  /** Real milliseconds that a key is kept; also how long another replica may still hold one. */
  readonly lifeMs?: number;
  /** Monotonic real milliseconds. */
  readonly elapsedMs?: () => number;
}

/**
 * A bounded cache, oldest out first. A destroyed key is dropped here at once; the tombstone stops
 * a read that began before the destruction from putting it back.
 */
export const createDataKeyCache = (options: DataKeyCacheOptions = {}): DataKeyCache => {
  const { maxEntries = 2000, lifeMs = 10_000, elapsedMs = () => performance.now() } = options;
  const entries = new Map<string, { key: Buffer; until: number }>();
  const dropped = new Map<string, number>();

  const shrink = <V>(map: Map<string, V>): void => {
    for (const oldest of map.keys()) {
      if (map.size <= maxEntries) return;
      map.delete(oldest);
    }
  };

  return {
    get(userId) {
      const entry = entries.get(userId);
      if (entry === undefined) return undefined;
      if (elapsedMs() < entry.until) return entry.key;
      entries.delete(userId);
      return undefined;
    },
    put(userId, key) {
      if (elapsedMs() < (dropped.get(userId) ?? 0)) return;
      entries.delete(userId);
      entries.set(userId, { key, until: elapsedMs() + lifeMs });
      shrink(entries);
    },
    drop(userId) {
      entries.delete(userId);
      dropped.delete(userId);
      dropped.set(userId, elapsedMs() + lifeMs);
      shrink(dropped);
    },
  };
};
