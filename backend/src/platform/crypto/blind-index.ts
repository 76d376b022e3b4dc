import { createHmac } from 'node:crypto';
import { keyIdFor, parseKeyList, deriveKey, keyLength } from './keyring.ts';

/** A keyed hash by which a sealed value can be found, and nothing else be learned. */
export interface BlindIndex {
  /** The hash under the first key, which is what is written. */
  (purpose: string, text: string): string;
  /** The hashes under every key, the first key's first: what may be stored already. */
  all(purpose: string, text: string): readonly [string, ...string[]];
  /** The id of the first key, kept beside a hash so that the sweep finds those of other keys. */
  readonly keyId: string;
}

/** Hashes under one key, with a key of its own derived for each purpose. */
const hashUnder = (key: string) => {
  const root = Buffer.from(key, 'utf8');
  const derived = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const made = deriveKey(root, `blind-index|${purpose}`);
    derived.set(purpose, made);
    return made;
  };
  return (purpose: string, text: string): string =>
    createHmac('sha256', keyFor(purpose))
      .update(text.normalize('NFKC').trim().toUpperCase(), 'utf8')
      .digest('base64url');
};

/**
 * HMAC-SHA256 under a key of its own for each `purpose`, as base64url (43 characters). The text is
 * compared as NFKC, trimmed, upper case: writings of one value meet. `keyText` is
 * BLIND_INDEX_KEY, a list, newest first (contract: identity-and-kyc > Keys).
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
