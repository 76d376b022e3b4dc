import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { keyIdFor, parseKeyList, deriveKey, keyLength } from './keyring.ts';

/**
 * Returns the SHA-256 as base64url. It is for tokens that are long and random (refresh and portal
 * tokens), so that a leaked table opens nothing. It is not for texts that people choose or that are
 * short. Use `createSecretHasher` or `keyedHash` for those.
 */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token, 'utf8').digest('base64url');

/**
 * Returns the HMAC-SHA256 under `key` as base64url. It is for short codes that live briefly (OTPs).
 * Without the key, a code can't be guessed from a leaked hash. `purpose` and `text` are bound
 * together.
 */
export const keyedHash = (key: string, purpose: string, text: string): string =>
  createHmac('sha256', key)
    .update(`${purpose.length}|${purpose}|${text}`, 'utf8')
    .digest('base64url');

/** Compares two texts in a time that reveals neither where they differ nor their length. */
export const constantTimeEqual = (a: string, b: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(a, 'utf8').digest(),
    createHash('sha256').update(b, 'utf8').digest(),
  );

/** A keyed hash by which a sealed value can be found. It reveals nothing else. */
export interface BlindIndex {
  /** Returns the hash under the first key, which is the hash to store. */
  (purpose: string, text: string): string;
  /**
   * Returns the hashes under every key, the first key's first. A stored hash may be any of them.
   */
  all(purpose: string, text: string): readonly [string, ...string[]];
  /** The id of the first key, stored with a hash so that the sweep finds hashes of other keys. */
  readonly keyId: string;
}

/** Hashes with one key. A separate key is derived from it for each purpose. */
const hashUnder = (key: string) => {
  const root = Buffer.from(key, 'utf8');
  const derived = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const derivedKey = deriveKey(root, `blind-index|${purpose}`);
    derived.set(purpose, derivedKey);
    return derivedKey;
  };
  return (purpose: string, text: string): string =>
    createHmac('sha256', keyFor(purpose))
      .update(text.normalize('NFKC').trim().toUpperCase(), 'utf8')
      .digest('base64url');
};

/**
 * Creates the hash function. It computes an HMAC-SHA256 with a separate key for each `purpose`, as
 * base64url (43 characters). The text is first normalised (NFKC, trimmed, upper case), so that
 * different spellings of a value have the same hash. `keyText` is BLIND_INDEX_KEY, a list, newest
 * first (contract: identity-and-kyc > Keys).
 */
export const createBlindIndex = (keyText: string): BlindIndex => {
  const [first, ...others] = parseKeyList('BLIND_INDEX_KEY', keyText, keyLength);
  const write = hashUnder(first);
  const older = others.map(hashUnder);
  return Object.assign((purpose: string, text: string): string => write(purpose, text), {
    all: (purpose: string, text: string): readonly [string, ...string[]] => [
      write(purpose, text),
      ...older.map((hash) => hash(purpose, text)),
    ],
    keyId: keyIdFor(first, 'blind-index'),
  });
};
