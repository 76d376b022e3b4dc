import { createHmac } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../errors/app-error.ts';
import { sql, sqlName, type Db } from '../db/index.ts';
import { keyIdFor, parseKeyList, deriveKey } from './keyring.ts';
import { keyIdOf, openText, sealText, type SealContext, type SealingKey } from './sealing.ts';
import { renewColumn, type KeyedColumn } from './reseal-sealed.ts';
import { createSemaphore } from '../concurrency/semaphore.ts';

/**
 * `busy` means that too many checks waited already. `gone` means that the client left during the
 * wait.
 */
type PasswordCheckRefusal = 'busy' | 'gone';

interface PasswordCheckMetrics {
  countRefusal(reason: PasswordCheckRefusal): void;
}

/**
 * Creates the metrics of a process's password checks. `waiting` returns the number of waiting
 * checks.
 */
const createPasswordCheckMetrics = (
  registry: Registry,
  waiting: () => number,
): PasswordCheckMetrics => {
  const registers = [registry];
  // Registered only for its effect, which is to read the number at every scrape.
  void new Gauge({
    name: 'password_checks_waiting',
    help: 'Password checks that wait in this process.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  const refused = new Counter({
    name: 'password_checks_refused_total',
    help: 'Password checks refused because too many waited, or dropped because the client left.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of ['busy', 'gone'] as const) refused.inc({ reason }, 0);
  return { countRefusal: (reason) => refused.inc({ reason }) };
};

/**
 * Returns true when `stored` is the hash of `secret`. Without a stored hash it does the same work
 * and returns false, so that "no such account" takes as long as "wrong password".
 */
type VerifySecret = (secret: string, stored: string | undefined) => Promise<boolean>;

/** The caller of a check, who waits for a turn. */
export interface PasswordCaller {
  /** Aborts when the client has left, which takes the check out of the queue. */
  readonly clientGone: AbortSignal;
  /**
   * An address, or the id of a known caller. Waiting checks with the same id are counted together.
   */
  readonly id: string;
  /** True for a browser, device or session that signed in before. These checks go first. */
  readonly isKnown: boolean;
}

/** Hashes what people choose: passwords and PINs. */
export interface SecretHasher {
  /**
   * Returns a new hash with its own salt, sealed.
   * @throws AppError BUSY when too many wait, or the client left.
   */
  hashSecret(secret: string, caller?: PasswordCaller): Promise<string>;
  /**
   * Runs the check of a password when its turn has come. `check` must itself count the try, so that
   * a try whose check never ran is not counted.
   * @throws AppError BUSY when too many wait (contract: limits > Rate limits), or the client left.
   */
  checkInTurn<T>(caller: PasswordCaller, check: (verify: VerifySecret) => Promise<T>): Promise<T>;
  /** The beginning of every hash that is sealed with the first pepper. */
  readonly currentPrefix: string;
  /**
   * Seals a hash of another pepper with the first pepper, without the secret. Returns undefined if
   * the hash has an earlier form, which only its owner can renew, or if its pepper is unknown.
   */
  reseal(stored: string): string | undefined;
}

interface SecretHasherOptions {
  /**
   * CREDENTIAL_PEPPER, a list, newest first. A thief who has the database but not the pepper can't
   * guess a PIN from its hash (contract: identity-and-kyc > Keys).
   */
  readonly pepper: string;
  /**
   * The number of hashes that are computed at a time in this process. Each takes 19 MiB and a core.
   */
  readonly maxParallel?: number;
  /**
   * The memory of a hash. Tests that make many hashes lower it. A fiftieth of the memory takes a
   * twentieth of the time.
   */
  readonly memoryKib?: number;
  /** The registry of the queue's metrics. */
  readonly registry?: Registry;
}

/**
 * The limit of waiting checks. It bounds the time that a queue of strangers can cost an operator.
 */
const maxWaiting = 32;
/** The limit of waiting strangers, so that a crowd leaves places to known callers. */
const maxStrangers = 28;
/** The limit of waiting checks for each caller. */
const maxOfCaller = 20;
/** The seconds after which a client may retry. A full queue is finished sooner. */
const retryAfterSeconds = 1;

// OWASP's choice for argon2id: 19 MiB, two passes, one lane. The library's own names for the
// algorithm (2 is argon2id) and the version (1 is 0x13) are const enums and can't be imported.
const owaspCost = {
  algorithm: 2,
  version: 1,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
};

/** The context of a sealed hash. It names no row, since a hash is made before its row is known. */
const context: SealContext = { purpose: 'credential', column: 'credential.hash', row: '' };

const asText = (secret: string): string => secret.normalize('NFKC');

/**
 * Returns the text that argon2id hashes in the earlier form, in which the secret was peppered
 * first.
 */
const pepperedBefore = (pepper: string, secret: string): string =>
  createHmac('sha256', pepper).update(asText(secret), 'utf8').digest('base64url');

const isOfEarlierForm = (stored: string): boolean => stored.startsWith('$argon2id$');

interface Comparison {
  readonly phc: string;
  readonly text: string;
}

const toKey = (pepper: string): SealingKey => ({
  id: keyIdFor(pepper, 'credential-pepper'),
  bytes: deriveKey(Buffer.from(pepper, 'utf8'), 'credential-pepper'),
});

/** Seals and opens hashes with a list of peppers. */
const createPeppers = (peppers: readonly [string, ...string[]]) => {
  const current = toKey(peppers[0]);
  const keys = new Map(peppers.map((pepper) => [toKey(pepper).id, toKey(pepper)]));
  const open = (stored: string): string | undefined => {
    const key = keys.get(keyIdOf(stored));
    return key === undefined ? undefined : openText(key, stored, context);
  };
  return {
    currentPrefix: `v1.${current.id}.`,
    seal: (phc: string): string => sealText(current, phc, context),
    reseal(stored: string): string | undefined {
      if (isOfEarlierForm(stored)) return undefined;
      const phc = open(stored);
      return phc === undefined ? undefined : sealText(current, phc, context);
    },
    /**
     * Returns the comparisons that a secret needs: one, or one for each pepper for the earlier
     * form.
     */
    comparisonsFor(secret: string, stored: string): Comparison[] {
      if (isOfEarlierForm(stored)) {
        return peppers.map((pepper) => ({ phc: stored, text: pepperedBefore(pepper, secret) }));
      }
      const phc = open(stored);
      return phc === undefined ? [] : [{ phc, text: asText(secret) }];
    },
  };
};

/** Counts the waiting checks of each caller, and those of all strangers together. */
const createWaiters = () => {
  const counts = new Map<string, number>();
  let strangers = 0;
  return {
    areTooMany: ({ id, isKnown }: PasswordCaller): boolean =>
      (counts.get(id) ?? 0) >= maxOfCaller || (!isKnown && strangers >= maxStrangers),
    /** Counts a waiting check, until the returned function is called. */
    enter({ id, isKnown }: PasswordCaller): () => void {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      if (!isKnown) strangers += 1;
      return () => {
        const remaining = (counts.get(id) ?? 0) - 1;
        if (remaining > 0) counts.set(id, remaining);
        else counts.delete(id);
        if (!isKnown) strangers -= 1;
      };
    },
  };
};

/**
 * Creates a hasher whose argon2id hashes are sealed with the pepper. The pepper is not mixed into
 * the hash, so that it can be replaced without knowing any secret.
 */
export const createSecretHasher = (options: SecretHasherOptions): SecretHasher => {
  const { pepper, maxParallel = 2, memoryKib = owaspCost.memoryCost, registry } = options;
  const cost = { ...owaspCost, memoryCost: memoryKib };
  const list = parseKeyList('CREDENTIAL_PEPPER', pepper, 16);
  const peppers = createPeppers(list);
  const places = createSemaphore(maxParallel);
  const metrics = registry && createPasswordCheckMetrics(registry, (): number => places.waiting);

  let dummyHash: Promise<string> | undefined;
  const verifySecret: VerifySecret = async (secret, stored) => {
    dummyHash ??= hash('nobody', cost);
    const real = stored === undefined ? [] : peppers.comparisonsFor(secret, stored);
    let matches = false;
    // Every account takes as many comparisons as the earlier form needs, so that the time reveals
    // nothing.
    for (const index of list.keys()) {
      const { phc, text } = real[index] ?? { phc: await dummyHash, text: asText(secret) };
      const isSame = await verify(phc, text);
      matches ||= isSame && real[index] !== undefined;
    }
    return matches;
  };

  const waiters = createWaiters();
  const inTurn = async <T>(work: () => Promise<T>, caller?: PasswordCaller): Promise<T> => {
    if (places.waiting >= maxWaiting || (caller !== undefined && waiters.areTooMany(caller))) {
      metrics?.countRefusal('busy');
      throw new AppError('BUSY', { retryAfterSeconds });
    }
    const turn = { hasBegun: false };
    const leave = caller === undefined ? () => {} : waiters.enter(caller);
    const begin = (): Promise<T> => {
      turn.hasBegun = true;
      leave();
      return work();
    };
    try {
      return await places.run(begin, caller?.clientGone, caller?.isKnown ?? true);
    } catch (error) {
      if (turn.hasBegun) throw error;
      leave();
      metrics?.countRefusal('gone');
      throw new AppError('BUSY', { retryAfterSeconds });
    }
  };

  return {
    hashSecret: (secret, caller) =>
      inTurn(async () => peppers.seal(await hash(asText(secret), cost)), caller),
    checkInTurn: (caller, check) => inTurn(() => check(verifySecret), caller),
    currentPrefix: peppers.currentPrefix,
    reseal: (stored) => peppers.reseal(stored),
  };
};

/**
 * Seals every hash of a column with the first pepper. A hash that cannot be sealed again stays
 * unchanged (see `SecretHasher.reseal`), and so does a hash that its owner changes meanwhile.
 * @returns the number of hashes that were sealed again
 */
export const resealHashes = (
  db: Db,
  hasher: Pick<SecretHasher, 'currentPrefix' | 'reseal'>,
  place: KeyedColumn,
  signal: AbortSignal,
): Promise<number> => {
  const hash = sqlName(place.column);
  return renewColumn(
    place,
    {
      inBatch: (work) => work(db),
      outdated: sql`${hash} LIKE 'v1.%' AND NOT starts_with(${hash}, ${hasher.currentPrefix})`,
      renew: (stored) => hasher.reseal(stored),
    },
    signal,
  );
};
