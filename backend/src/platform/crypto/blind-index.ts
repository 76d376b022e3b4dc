import { createHmac } from 'node:crypto';
import { deriveKey, keyLength } from './keyring.ts';

/** A keyed hash by which a sealed value can be found, and nothing else be learned. */
export type BlindIndex = (purpose: string, text: string) => string;

/**
 * HMAC-SHA256 under a key of its own for each `purpose`, as base64url (43 characters). The text is
 * compared as NFKC, trimmed, upper case: writings of one value meet. `keyText` is
 * BLIND_INDEX_KEY; changing it makes every stored index unfindable.
 */
export const createBlindIndex = (keyText: string): BlindIndex => {
  if (keyText.length < keyLength) throw new Error('BLIND_INDEX_KEY is too short');
  const root = Buffer.from(keyText, 'utf8');
  const keys = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    const known = keys.get(purpose);
    if (known !== undefined) return known;
    const key = deriveKey(root, `blind-index|${purpose}`);
    keys.set(purpose, key);
    return key;
  };
  return (purpose, text) =>
    createHmac('sha256', keyFor(purpose))
      .update(text.normalize('NFKC').trim().toUpperCase(), 'utf8')
      .digest('base64url');
};
