import { createHmac } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createSemaphore } from './semaphore.ts';

/** Hashes what people choose: passwords and PINs. */
export interface SecretHasher {
  /** The PHC text of a new hash, with its own salt. */
  hashSecret(secret: string): Promise<string>;
  /**
   * True when `secret` is the one behind `stored`. Without a stored hash it does the same work
   * and answers false, so that "nobody there" takes as long as "wrong".
   */
  verifySecret(secret: string, stored: string | undefined): Promise<boolean>;
}

interface SecretHasherOptions {
  /** CREDENTIAL_PEPPER: a PIN's hash is worth nothing to who has the database alone. */
  readonly pepper: string;
  /** Hashes at a time in this process; each takes 19 MiB and a core. */
  readonly maxParallel?: number;
}

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
  const { pepper, maxParallel = 2 } = options;
  if (pepper.length < 16) throw new Error('CREDENTIAL_PEPPER is too short');
  const places = createSemaphore(maxParallel);

  // As text: the library takes bytes for a hash, but verifies only what is UTF-8.
  const peppered = (secret: string): string =>
    createHmac('sha256', pepper).update(secret.normalize('NFKC'), 'utf8').digest('base64url');
  const hashSecret = async (secret: string): Promise<string> =>
    await places.run(async () => await hash(peppered(secret), cost));
  let nobody: Promise<string> | undefined;

  return {
    hashSecret,
    async verifySecret(secret, stored) {
      nobody ??= hashSecret('nobody');
      const against = stored ?? (await nobody);
      const matches = await places.run(async () => await verify(against, peppered(secret)));
      return matches && stored !== undefined;
    },
  };
};
