import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { parseKeyList } from '../crypto/index.ts';

export interface TokenSigner {
  /**
   * Signs `claims` for `ttlSeconds` of business time from `issuedAt`, which is now unless given.
   * `iat` is that moment in whole seconds, rounded down. `exp` is `iat` plus the whole seconds of
   * `ttlSeconds`.
   */
  sign(claims: Readonly<Record<string, unknown>>, ttlSeconds: number, issuedAt?: Date): string;
  /** Returns the claims of a valid, unexpired token, or undefined for anything else. */
  verify<S extends z.ZodType>(token: string, schema: S): z.output<S> | undefined;
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

/**
 * Turns a secret into a key object. Given a text, the library would first try to parse it as a
 * public key at each call, which takes half a millisecond.
 */
const toKey = (secret: string): KeyObject => createSecretKey(Buffer.from(secret, 'utf8'));

/**
 * Returns the claims of a valid token. A token without an expiry, or with a critical extension, is
 * invalid.
 */
const claimsOf = (token: string, key: KeyObject, options: jwt.VerifyOptions): unknown => {
  try {
    const { header, payload } = jwt.verify(token, key, { ...options, complete: true });
    // Neither this service nor the library knows a critical extension (RFC 7515, section 4.1.11).
    if (header.crit !== undefined) return undefined;
    return typeof payload === 'object' && payload.exp !== undefined ? payload : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Signs and verifies HS256 tokens. The algorithm is pinned, so a token can't choose its own.
 * `secret` is JWT_SECRET, a list, newest first. The first key signs, and every key verifies. The
 * injected clock measures a token's life. Customer and admin tokens share the list (contract:
 * conventions > APIs). Each API looks the subject up in its own store, which keeps them apart.
 */
export const createTokenSigner = (options: { secret: string; clock: Clock }): TokenSigner => {
  const { clock } = options;
  const [first, ...others] = parseKeyList('JWT_SECRET', options.secret, 16);
  const key = toKey(first);
  const keys = [key, ...others.map(toKey)];
  return {
    sign(claims, ttlSeconds, issuedAt = clock.now()) {
      const iat = secondsOf(issuedAt);
      return jwt.sign({ ...claims, iat, exp: iat + Math.floor(ttlSeconds) }, key, {
        algorithm: 'HS256',
      });
    },
    verify(token, schema) {
      const options = { algorithms: ['HS256' as const], clockTimestamp: secondsOf(clock.now()) };
      for (const known of keys) {
        const claims = claimsOf(token, known, options);
        if (claims === undefined) continue;
        const parsed = schema.safeParse(claims);
        return parsed.success ? parsed.data : undefined;
      }
      return undefined;
    },
  };
};

/** Returns the token of an `Authorization: Bearer` header, or undefined if there is none. */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer ([\w.~+/=-]{1,4096})$/iu.exec(header ?? '')?.[1];
