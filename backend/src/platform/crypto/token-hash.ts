import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * SHA-256 as base64url, for tokens that are long and random (refresh and portal tokens): a leaked
 * table opens nothing. Not for what people choose or what is short; see `createSecretHasher` and
 * `keyedHash`.
 */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token, 'utf8').digest('base64url');

/**
 * HMAC-SHA256 as base64url under `key`, for short-lived codes that are short (OTPs): without the
 * key a leaked hash can't be tried out. `purpose` and `text` are bound together.
 */
export const keyedHash = (key: string, purpose: string, text: string): string =>
  createHmac('sha256', key)
    .update(`${purpose.length}|${purpose}|${text}`, 'utf8')
    .digest('base64url');

/** Compares two texts in a time that tells nothing of where they differ, nor of their length. */
export const constantTimeEqual = (a: string, b: string): boolean =>
  timingSafeEqual(
    createHash('sha256').update(a, 'utf8').digest(),
    createHash('sha256').update(b, 'utf8').digest(),
  );
