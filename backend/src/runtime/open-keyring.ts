import { Gauge, type Registry } from 'prom-client';
import type { AdapterDeps } from '../adapters/adapter-deps.ts';
import {
  createKeyService,
  keyServiceVariables,
} from '../adapters/key-service/create-key-service.ts';
import { ConfigError, parseConfig, type Environment } from '../platform/config/config.ts';
import {
  addWrappingKey,
  createKeptKeyring,
  createWrappingKeyStore,
  isWrappingKeyId,
  KeysUnavailableError,
  parseKeyring,
  type Keyring,
  type KeyWrapping,
  type WrappingKeyStore,
} from '../platform/crypto/index.ts';
import type { Db } from '../platform/db/index.ts';
import type { Timers } from '../platform/clock/timers.ts';
import type { Random } from '../platform/ids/random.ts';
import { createLoop } from '../platform/jobs/create-loop.ts';

/** The pause between two reads of the wrapping keys. */
const refreshMs = 60_000;
/** The time before a new key seals. It is ten refreshes, so that every process has read the key. */
const learningMs = 10 * refreshMs;
/** The longest time that a process waits for its first keys before it starts without them. */
const startWaitMs = 10_000;

export interface OpenKeyring {
  readonly keyring: Keyring;
  /** Reads the keys once, and keeps reading them until `close`. */
  start(): Promise<void>;
  /** Reads the keys once. @throws KeysUnavailableError if a key cannot be unwrapped */
  read(): Promise<void>;
  /**
   * Adds a key, which seals after ten minutes, and returns the key's id.
   * @throws KeysUnavailableError
   */
  add(): Promise<string>;
  /** Rewraps every key with the newest version of the service's key. Returns their number. */
  rewrap(): Promise<number>;
  close(): Promise<void>;
}

interface KeyringDeps {
  readonly db: Db;
  readonly timers: Timers;
  readonly random: Random;
  readonly adapter: AdapterDeps;
  /** Undefined for a command, which publishes no metrics. */
  readonly registry?: Registry;
}

const noService = (): never => {
  throw new ConfigError('KEY_SERVICE: none is configured');
};

/** Opens the keyring of a process without a key service. It has only the keys of PII_KEYRING. */
const openOwn = (keyring: Keyring): OpenKeyring => ({
  keyring,
  start: async () => {},
  read: async () => {},
  add: noService,
  rewrap: noService,
  close: async () => {},
});

const readOwn = (text: string | undefined, needsIt: boolean): Keyring | undefined => {
  if (text === undefined) {
    if (needsIt) throw new ConfigError('PII_KEYRING: is needed without a KEY_SERVICE that seals');
    return undefined;
  }
  return parseKeyring(text);
};

const addKey = async (store: WrappingKeyStore, service: KeyWrapping): Promise<string> => {
  for (;;) {
    const number = (await store.list()).length + 1;
    // Returns false if another command has just added a key with this number.
    if (await addWrappingKey({ store, service }, { number, activeInMs: learningMs })) {
      return `ks${number}`;
    }
  }
};

const rewrapKeys = async (store: WrappingKeyStore, service: KeyWrapping): Promise<number> => {
  const keys = await store.list();
  for (const { id, wrapped } of keys) {
    const key = await service.unwrap(id, wrapped);
    const rewrapped = key.kind === 'done' ? await service.wrap(id, key.value) : key;
    if (rewrapped.kind !== 'done') throw new KeysUnavailableError(`${id} was not wrapped again`);
    await store.replace({ id, wrapped: rewrapped.value });
  }
  return keys.length;
};

const observeUsable = (registry: Registry, isUsable: () => boolean): void => {
  void new Gauge({
    name: 'wrapping_keys_usable',
    help: '1 while this process holds every key of personal data that the key service wraps.',
    registers: [registry],
    collect() {
      this.set(isUsable() ? 1 : 0);
    },
  });
};

/**
 * Opens the keyring of personal data that KEY_SERVICE configures (contract: identity-and-kyc >
 * Personal data).
 * @throws ConfigError naming what is missing or wrong
 */
export const openKeyring = (
  ownText: string | undefined,
  env: Environment,
  deps: KeyringDeps,
): OpenKeyring => {
  const { db, timers, random, adapter, registry } = deps;
  const config = parseConfig(keyServiceVariables, env);
  const service = createKeyService(env, adapter);
  const seals = service !== undefined && config.KEY_SERVICE_SEALS === 'true';
  const own = readOwn(ownText, !seals);
  if (service === undefined) return own === undefined ? noService() : openOwn(own);
  if (own?.ids.some(isWrappingKeyId) === true) {
    throw new ConfigError('PII_KEYRING: an id is of the kind that a KEY_SERVICE gives its keys');
  }
  const store = createWrappingKeyStore(db);
  const lifeMs = config.KEY_SERVICE_CACHE_SECONDS * 1000;
  const { logger } = adapter;
  const cachedKeyring = createKeptKeyring({ store, service, own, seals, lifeMs, logger });
  if (registry !== undefined) observeUsable(registry, () => cachedKeyring.isUsable());
  const onError = (error: unknown): void =>
    logger.warn({ err: error }, 'the keys of personal data could not be read');
  const refresh = () => cachedKeyring.refresh().catch(onError);
  const loop = createLoop({
    everyMs: refreshMs,
    jitterMs: refreshMs / 10,
    run: refresh,
    onError,
    timers,
    random,
  });
  return {
    keyring: cachedKeyring.keyring,
    async start() {
      await Promise.race([refresh(), timers.sleep(startWaitMs)]);
      loop.start();
    },
    async read() {
      await cachedKeyring.refresh();
      if (!cachedKeyring.isUsable())
        throw new KeysUnavailableError('the key service withholds a key');
    },
    add: () => addKey(store, service),
    rewrap: () => rewrapKeys(store, service),
    async close() {
      await loop.stop();
      await service.close();
    },
  };
};
