import { randomBytes } from 'node:crypto';
import type { Db } from '../db/database.ts';
import {
  createDataKeyCache,
  createDataKeyStore,
  type DataKeyCache,
  type DataKeyStore,
  type StoredDataKey,
} from './data-key-store.ts';
import { deriveKey, keyLength, type Keyring, type KeyringKey } from './keyring.ts';
import {
  keyIdOf,
  openBytes,
  openText,
  SealError,
  sealBytes,
  sealText,
  splitSealedBytes,
  type SealContext,
  type SealingKey,
} from './sealing.ts';

/** Seals and opens with a key. Every `open` throws SealError if the value does not fit. */
export interface Sealer {
  seal(plaintext: string, context: SealContext): string;
  open(sealed: string, context: SealContext): string;
  sealBytes(plain: Uint8Array, context: SealContext): Buffer;
  openBytes(sealed: Uint8Array, context: SealContext): Buffer;
}

/** Seals values that belong to no known user. */
interface ServiceSealer extends Sealer {
  /**
   * Returns true if a key other than the current one sealed the value, so that it may be sealed
   * again.
   */
  isOutdated(sealed: string): boolean;
}

/** Thrown if the user's key was destroyed. The values that it sealed can never be read again. */
export class DataKeyDestroyedError extends Error {
  override readonly name = 'DataKeyDestroyedError';
}

export interface Vault {
  /** The id of the first key of the ring, which wraps data keys and seals for the service. */
  readonly keyId: string;
  readonly service: ServiceSealer;
  /**
   * Returns the user's sealer. Creates the data key if the user has none.
   * @throws DataKeyDestroyedError if the key was destroyed
   */
  forUser(db: Db, userId: string): Promise<Sealer>;
  /**
   * Returns the sealers of many users at once. A user without a live key is absent. Creates no
   * keys.
   */
  forUsers(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, Sealer>>;
  /** Destroys the user's key for good. Returns false if the user had no live key. */
  destroyUser(db: Db, userId: string): Promise<boolean>;
  /** Wraps up to `limit` data keys again with the current key. Returns their number. */
  rewrap(db: Db, limit: number): Promise<number>;
  /** Counts the data keys that `rewrap` still has to wrap again. */
  countOutdated(db: Db): Promise<number>;
}

interface VaultOptions {
  readonly keyring: Keyring;
  readonly storeOn?: (db: Db) => DataKeyStore;
  readonly cache?: DataKeyCache;
}

const userKeyId = 'user';
const wrapContext = (userId: string): SealContext => ({
  purpose: 'data-key',
  column: 'user_data_key.wrapped_key',
  row: userId,
});

const createSealer = (key: SealingKey): Sealer => ({
  seal: (plaintext, context) => sealText(key, plaintext, context),
  open: (sealed, context) => openText(key, sealed, context),
  sealBytes: (plain, context) => sealBytes(key, plain, context),
  openBytes: (sealed, context) => openBytes(key, sealed, context),
});

const toSealer = (bytes: Buffer): Sealer => createSealer({ id: userKeyId, bytes });

/**
 * Derives a key for one use from each key of the ring. A derived key is cached as long as the ring
 * has its key.
 */
const createDerivedRing = (keyring: Keyring, use: string) => {
  // The map is weak, so that a derived key goes together with its key of the ring.
  const derived = new WeakMap<KeyringKey, SealingKey>();
  const derive = (key: KeyringKey): SealingKey => {
    const known = derived.get(key);
    if (known !== undefined) return known;
    const fresh = { id: key.id, bytes: deriveKey(key.bytes, use) };
    derived.set(key, fresh);
    return fresh;
  };
  return {
    get current() {
      return derive(keyring.current);
    },
    get(id: string): SealingKey {
      const key = keyring.get(id);
      if (key === undefined) throw new SealError(`the keyring has no key ${id}`);
      return derive(key);
    },
  };
};

const createServiceSealer = (keyring: Keyring): ServiceSealer => {
  const ring = createDerivedRing(keyring, 'service-seal');
  return {
    seal: (plaintext, context) => sealText(ring.current, plaintext, context),
    open: (sealed, context) => openText(ring.get(keyIdOf(sealed)), sealed, context),
    sealBytes: (plain, context) => sealBytes(ring.current, plain, context),
    openBytes: (sealed, context) =>
      openBytes(ring.get(splitSealedBytes(sealed).keyId), sealed, context),
    isOutdated: (sealed) => keyIdOf(sealed) !== ring.current.id,
  };
};

/**
 * Seals personal data (contract: identity-and-kyc > Personal data). Each user has a random data
 * key, which the keyring wraps. Data of no known user is sealed with a service key. To rotate, a
 * new first key is added to the keyring, and `rewrap` wraps the data keys again. Sealed values stay
 * unchanged.
 *
 * The cache saves reads and never decides. The key of an unfinished transaction is not cached. A
 * destroyed key is forgotten here at once, and by other replicas within the cache's life.
 */
export const createVault = (options: VaultOptions): Vault => {
  const { keyring, storeOn = createDataKeyStore, cache = createDataKeyCache() } = options;
  const ring = createDerivedRing(keyring, 'data-key-wrap');

  const unwrap = (stored: Pick<StoredDataKey, 'userId' | 'keyId' | 'wrapped'>): Buffer =>
    openBytes(ring.get(stored.keyId), stored.wrapped, wrapContext(stored.userId));
  const wrap = (userId: string, key: Buffer) => {
    const { current } = ring;
    return { userId, keyId: current.id, wrapped: sealBytes(current, key, wrapContext(userId)) };
  };
  const read = (stored: StoredDataKey): Buffer => {
    const key = unwrap(stored);
    if (stored.isCommitted) cache.put(stored.userId, key);
    return key;
  };
  const loadOrMake = async (store: DataKeyStore, userId: string): Promise<StoredDataKey> => {
    const [found] = await store.find([userId]);
    if (found !== undefined) return found;
    await store.insert(wrap(userId, randomBytes(keyLength)));
    // Read again: another transaction may have made the key in the meantime.
    const [inserted] = await store.find([userId]);
    if (inserted === undefined) throw new SealError(`no data key for user ${userId}`);
    return inserted;
  };

  return {
    get keyId() {
      return ring.current.id;
    },
    service: createServiceSealer(keyring),
    async forUser(db, userId) {
      const cached = cache.get(userId);
      if (cached !== undefined) return toSealer(cached);
      const stored = await loadOrMake(storeOn(db), userId);
      if (stored.state === 'destroyed') {
        throw new DataKeyDestroyedError(`the data key of user ${userId} is destroyed`);
      }
      return toSealer(read(stored));
    },
    async forUsers(db, userIds) {
      const sealers = new Map<string, Sealer>();
      const missing = new Set<string>();
      for (const userId of userIds) {
        const cached = cache.get(userId);
        if (cached === undefined) missing.add(userId);
        else sealers.set(userId, toSealer(cached));
      }
      if (missing.size === 0) return sealers;
      for (const stored of await storeOn(db).find([...missing])) {
        if (stored.state === 'live') sealers.set(stored.userId, toSealer(read(stored)));
      }
      return sealers;
    },
    async destroyUser(db, userId) {
      const destroyed = await storeOn(db).destroy(userId);
      cache.drop(userId);
      return destroyed;
    },
    async rewrap(db, limit) {
      const store = storeOn(db);
      const outdated = await store.claimWrappedByOther(ring.current.id, limit);
      for (const stored of outdated) await store.replace(wrap(stored.userId, unwrap(stored)));
      return outdated.length;
    },
    countOutdated: (db) => storeOn(db).countWrappedByOther(ring.current.id),
  };
};
