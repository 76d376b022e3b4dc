import { createHmac } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Registry } from 'prom-client';
import { AppError } from '../errors/app-error.ts';
import { createPasswordCheckMetrics } from './password-check.metrics.ts';
import { createSemaphore } from './semaphore.ts';

/**
 * True when `secret` is the one behind `stored`. Without a stored hash it does the same work and
 * answers false, so that "nobody there" takes as long as "wrong".
 */
type VerifySecret = (secret: string, stored: string | undefined) => Promise<boolean>;

/** Hashes what people choose: passwords and PINs. */
export interface SecretHasher {
  /** The PHC text of a new hash, with its own salt. @throws AppError BUSY when too many wait. */
  hashSecret(secret: string): Promise<string>;
  /**
   * Runs the check of a password when its turn has come: whatever counts the try belongs into
   * `check`, so that a refused one is not counted. `clientGone` takes it out of the queue.
   * @throws AppError BUSY when too many wait (contract: limits > Rate limits), or the client left.
   */
  checkInTurn<T>(clientGone: AbortSignal, check: (verify: VerifySecret) => Promise<T>): Promise<T>;
}

interface SecretHasherOptions {
  /** CREDENTIAL_PEPPER: a PIN's hash is worth nothing to who has the database alone. */
  readonly pepper: string;
  /** Hashes at a time in this process; each takes 19 MiB and a core. */
  readonly maxParallel?: number;
  /** Gets the metrics of the queue. */
  readonly registry?: Registry;
}

/** Bounds the time that a queue of strangers can cost an operator. */
const maxWaiting = 32;
/** Seconds; a full queue is done with in less. */
const retryAfterSeconds = 1;

// OWASP's choice for argon2id: 19 MiB, two passes, one lane. The library's own names for the
// algorithm (2 is argon2id) and the version (1 is 0x13) are const enums and can't be imported.
const cost = {
  algorithm: 2,
  version: 1,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
};

/** argon2id over an HMAC of the secret under the pepper. */
export const createSecretHasher = (options: SecretHasherOptions): SecretHasher => {
  const { pepper, maxParallel = 2, registry } = options;
  if (pepper.length < 16) throw new Error('CREDENTIAL_PEPPER is too short');
  const places = createSemaphore(maxParallel);
  const metrics = registry && createPasswordCheckMetrics(registry, (): number => places.waiting);

  // As text: the library takes bytes for a hash, but verifies only what is UTF-8.
  const peppered = (secret: string): string =>
    createHmac('sha256', pepper).update(secret.normalize('NFKC'), 'utf8').digest('base64url');
  let nobody: Promise<string> | undefined;
  const verifySecret: VerifySecret = async (secret, stored) => {
    nobody ??= hash(peppered('nobody'), cost);
    const matches = await verify(stored ?? (await nobody), peppered(secret));
    return matches && stored !== undefined;
  };

  const inTurn = async <T>(work: () => Promise<T>, clientGone?: AbortSignal): Promise<T> => {
    if (places.waiting >= maxWaiting) {
      metrics?.countRefusal('busy');
      throw new AppError('BUSY', { retryAfterSeconds });
    }
    const turn = { came: false };
    const begin = (): Promise<T> => {
      turn.came = true;
      return work();
    };
    try {
      return await places.run(begin, clientGone);
    } catch (error) {
      if (turn.came) throw error;
      metrics?.countRefusal('gone');
      throw new AppError('BUSY', { retryAfterSeconds });
    }
  };

  return {
    hashSecret: (secret) => inTurn(() => hash(peppered(secret), cost)),
    checkInTurn: (clientGone, check) => inTurn(() => check(verifySecret), clientGone),
  };
};
