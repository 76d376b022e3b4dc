import { randomBytes } from 'node:crypto';
import { describeOutcome, type Outcome } from '../outcome/outcome.ts';
import { keyLength, type Keyring, type KeyringKey } from './keyring.ts';
import { isWrappingKeyId, wrappingKeyId, type WrappingKeyStore } from './wrapping-key-store.ts';

/**
 * Thrown if the key service has not returned the key for longer than a key may be cached. Sealed
 * values stay unchanged and open again once the service answers.
 */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

/** Wraps keys with a key of the service. A wrapped key opens only under its id. */
export interface KeyWrapping {
  wrap(id: string, key: Buffer): Promise<Outcome<string>>;
  unwrap(id: string, wrapped: string): Promise<Outcome<Buffer>>;
}

interface KeptKeyringOptions {
  readonly store: WrappingKeyStore;
  readonly service: KeyWrapping;
  /** The keys of PII_KEYRING, in addition to those of the service. */
  readonly own: Keyring | undefined;
  /** True if the service's keys seal and `own` only opens, false if it is the other way round. */
  readonly seals: boolean;
  /** Real milliseconds for which a key is kept after the service gave it. */
  readonly lifeMs: number;
  readonly logger: { warn(fields: object, message: string): void };
  /** Monotonic real milliseconds. */
  readonly elapsedMs?: () => number;
}

interface KeptKey {
  readonly key: KeyringKey;
  readonly givenAtMs: number;
}

export interface KeptKeyring {
  readonly keyring: Keyring;
  /** Reads the keys. The service unwraps those that are new or have lived half their time. */
  refresh(): Promise<void>;
  /** Returns true while every key of the service can be used. */
  isUsable(): boolean;
}

const reasonOf = (outcome: Outcome<unknown>): string =>
  outcome.kind === 'refused' ? outcome.message : describeOutcome(outcome);

/**
 * Creates a key and stores it wrapped.
 * @throws KeysUnavailableError if the service does not wrap it
 */
export const addWrappingKey = async (
  { store, service }: Pick<KeptKeyringOptions, 'store' | 'service'>,
  { number, activeInMs }: { readonly number: number; readonly activeInMs: number },
): Promise<boolean> => {
  const wrapped = await service.wrap(wrappingKeyId(number), randomBytes(keyLength));
  if (wrapped.kind === 'done') return store.insert({ number, activeInMs, wrapped: wrapped.value });
  throw new KeysUnavailableError(`the key service wrapped no key: ${reasonOf(wrapped)}`);
};

/**
 * Caches the keys of the ring in memory for a while. The database stores them, wrapped by a key
 * service. No request waits for that service: values are sealed and opened inside transactions, in
 * which nothing may cross the network. A key that the service withholds is forgotten when its time
 * has passed (contract: identity-and-kyc > Personal data).
 */
export const createKeptKeyring = (options: KeptKeyringOptions): KeptKeyring => {
  const { store, service, own, seals, lifeMs, logger } = options;
  const { elapsedMs = () => performance.now() } = options;
  const kept = new Map<string, KeptKey>();
  let ids: readonly string[] = [];
  let currentId: string | undefined;

  const find = (id: string): KeyringKey | undefined => {
    const entry = kept.get(id);
    if (entry !== undefined && elapsedMs() - entry.givenAtMs < lifeMs) return entry.key;
    kept.delete(id);
    return undefined;
  };
  const require = (id: string | undefined): KeyringKey => {
    const key = id === undefined ? undefined : find(id);
    if (key !== undefined) return key;
    throw new KeysUnavailableError(`the key service has not given the key ${id ?? 'to seal with'}`);
  };

  const unwrap = async (id: string, wrapped: string): Promise<void> => {
    const entry = kept.get(id);
    if (entry !== undefined && elapsedMs() - entry.givenAtMs < lifeMs / 2) return;
    const givenAtMs = elapsedMs();
    const outcome = await service.unwrap(id, wrapped);
    if (outcome.kind === 'done' && outcome.value.length === keyLength) {
      // The same key keeps its object, since derived keys are cached by that object.
      kept.set(id, { key: entry?.key ?? { id, bytes: outcome.value }, givenAtMs });
      return;
    }
    logger.warn({ key: id, reason: reasonOf(outcome) }, 'the key service did not return a key');
  };

  return {
    keyring: {
      get current() {
        if (own !== undefined && !seals) return own.current;
        return require(currentId);
      },
      get ids() {
        return [...ids, ...(own?.ids ?? [])];
      },
      get(id) {
        return isWrappingKeyId(id) ? require(id) : own?.get(id);
      },
    },
    async refresh() {
      let keys = await store.list();
      if (keys.length === 0 && seals) {
        await addWrappingKey(options, { number: 1, activeInMs: 0 });
        keys = await store.list();
      }
      ids = keys.map(({ id }) => id);
      currentId = keys.find(({ active }) => active)?.id;
      for (const { id, wrapped } of keys) await unwrap(id, wrapped);
    },
    isUsable: () => (ids.length > 0 || !seals) && ids.every((id) => find(id) !== undefined),
  };
};
