import type { Db } from '../db/database.ts';
import { execute, selectRows, sql } from '../db/sql.ts';

/** Caches unwrapped data keys in memory: at most `maxEntries`, each for `lifeMs`. */
export interface DataKeyCache {
  get(userId: string): Buffer | undefined;
  /** Does nothing for a user whose key was dropped less than `lifeMs` ago. */
  put(userId: string, key: Buffer): void;
  /** Forgets the user's key, and ignores every `put` for this user for `lifeMs`. */
  drop(userId: string): void;
}

interface DataKeyCacheOptions {
  readonly maxEntries?: number;
  /**
   * Real milliseconds for which a key is cached. Another replica may cache a destroyed key for as
   * long.
   */
  readonly lifeMs?: number;
  /** Monotonic real milliseconds. */
  readonly elapsedMs?: () => number;
}

/**
 * Creates a bounded cache, from which the oldest key goes first. A destroyed key is dropped here at
 * once. Its tombstone keeps a read that began before the destruction from putting the key back.
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

/** A user's stored data key: wrapped, or destroyed. */
export interface StoredDataKey {
  readonly userId: string;
  readonly state: 'live' | 'destroyed';
  /** The id of the keyring's key with which it is wrapped. */
  readonly keyId: string;
  readonly wrapped: Buffer;
  /**
   * False for a row that may be of the reader's own transaction, which may still roll back. It is
   * also false for other young rows.
   */
  readonly isCommitted: boolean;
}

interface WrappedDataKey {
  readonly userId: string;
  readonly keyId: string;
  readonly wrapped: Buffer;
}

export interface DataKeyStore {
  find(userIds: readonly string[]): Promise<StoredDataKey[]>;
  /** Inserts a key. A key that the user already has stays. */
  insert(key: WrappedDataKey): Promise<void>;
  /** Erases the wrapped key for good. Returns false when there was none to erase. */
  destroy(userId: string): Promise<boolean>;
  /**
   * Locks live data keys that are wrapped with a key other than `keyId`, until the transaction ends.
   */
  claimWrappedByOther(keyId: string, limit: number): Promise<WrappedDataKey[]>;
  replace(key: WrappedDataKey): Promise<void>;
  /** Counts live data keys that are wrapped with a key other than `keyId`. */
  countWrappedByOther(keyId: string): Promise<number>;
}

interface Row {
  user_id: string;
  key_id: string;
  wrapped_key: Uint8Array;
  destroyed: boolean;
  isCommitted: boolean;
}

/**
 * Creates the store of data keys in `user_data_key`, on the caller's client, with times of the
 * database's clock. `isCommitted` compares `created_at` with the database's `now()`, the start of the
 * transaction. The transaction's own rows have the same time. With the second of margin, other young
 * rows do not count as committed either, so callers only do not cache them.
 */
export const createDataKeyStore = (db: Db): DataKeyStore => ({
  async find(userIds) {
    const rows = await selectRows<Row>(
      db,
      sql`
      select user_id::text as user_id, key_id, coalesce(wrapped_key, ''::bytea) as wrapped_key,
             destroyed_at is not null as destroyed,
             created_at < now() - interval '1 second' as "isCommitted"
      from user_data_key where user_id = any(${userIds}::uuid[])`,
    );
    return rows.map((row) => ({
      userId: row.user_id,
      state: row.destroyed ? 'destroyed' : 'live',
      keyId: row.key_id,
      wrapped: Buffer.from(row.wrapped_key),
      isCommitted: row.isCommitted,
    }));
  },
  async insert(key) {
    await execute(
      db,
      sql`
      insert into user_data_key (user_id, key_id, wrapped_key, created_at)
      values (${key.userId}::uuid, ${key.keyId}, ${key.wrapped}, now())
      on conflict (user_id) do nothing`,
    );
  },
  async destroy(userId) {
    const count = await execute(
      db,
      sql`
      update user_data_key set wrapped_key = ''::bytea, destroyed_at = now()
      where user_id = ${userId}::uuid and destroyed_at is null`,
    );
    return count === 1;
  },
  async claimWrappedByOther(keyId, limit) {
    const rows = await selectRows<Row>(
      db,
      sql`
      select user_id::text as user_id, key_id, wrapped_key
      from user_data_key where destroyed_at is null and key_id <> ${keyId}
      order by user_id limit ${limit}::int for update skip locked`,
    );
    return rows.map((row) => ({
      userId: row.user_id,
      keyId: row.key_id,
      wrapped: Buffer.from(row.wrapped_key),
    }));
  },
  async replace(key) {
    await db.userDataKey.updateMany({
      where: { userId: key.userId, destroyedAt: null },
      data: { keyId: key.keyId, wrappedKey: new Uint8Array(key.wrapped) },
    });
  },
  countWrappedByOther: (keyId) =>
    db.userDataKey.count({ where: { destroyedAt: null, keyId: { not: keyId } } }),
});
