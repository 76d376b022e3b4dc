import {
  createBlindIndex,
  createVault,
  parseKeyring,
  type BlindIndex,
  type Sealer,
} from '../../src/platform/crypto/index.ts';
import type { DataKeyStore } from '../../src/platform/crypto/data-key-store.ts';
import { createDatabase } from '../../src/platform/db/index.ts';

/** The keys of the service whose database is filled, as its configuration has them. */
export interface FillKeys {
  readonly PII_KEYRING: string;
  readonly BLIND_INDEX_KEY: string;
}

interface WrappedKey {
  readonly userId: string;
  readonly keyId: string;
  readonly wrapped: Buffer;
}

/** Seals as the service does. The caller writes the wrapped keys. */
export interface FillSealing {
  readonly blindIndex: BlindIndex;
  /** Makes a customer's data key. */
  newKey(userId: string): Promise<WrappedKey & { readonly sealer: Sealer }>;
  /** Opens a data key that was made before. */
  open(key: WrappedKey): Promise<Sealer>;
  close(): Promise<void>;
}

const notHere = (): never => {
  throw new Error('a fill only makes and opens keys');
};

/** Keeps the keys of the batch at hand instead of `user_data_key`. */
const createKeyShelf = () => {
  const keys = new Map<string, WrappedKey>();
  const store: DataKeyStore = {
    async find(userIds) {
      const found = userIds.flatMap((id) => keys.get(id) ?? []);
      return found.map((key) => ({ ...key, state: 'live', isCommitted: false }));
    },
    async insert(key) {
      keys.set(key.userId, key);
    },
    destroy: notHere,
    claimWrappedByOther: notHere,
    replace: notHere,
    countWrappedByOther: notHere,
  };
  return {
    store,
    put: (key: WrappedKey) => keys.set(key.userId, key),
    take(userId: string): WrappedKey {
      const key = keys.get(userId);
      if (key === undefined) throw new Error(`no key was made for ${userId}`);
      keys.delete(userId);
      return key;
    },
  };
};

export const createFillSealing = (url: string, keys: FillKeys): FillSealing => {
  const shelf = createKeyShelf();
  const vault = createVault({
    keyring: parseKeyring(keys.PII_KEYRING),
    storeOn: () => shelf.store,
  });
  // The vault passes this client to its store, which does not use it, so it never connects.
  const unused = createDatabase({ url, poolSize: 1, applicationName: 'fill' });
  return {
    blindIndex: createBlindIndex(keys.BLIND_INDEX_KEY),
    async newKey(userId) {
      const sealer = await vault.forUser(unused.db, userId);
      return { ...shelf.take(userId), sealer };
    },
    async open(key) {
      shelf.put(key);
      return vault.forUser(unused.db, key.userId);
    },
    close: () => unused.close(),
  };
};
