import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { z } from 'zod';
import type { Clock } from '../clock/clock.ts';

export interface TokenSigner {
  /**
   * Signs `claims` for `ttlSeconds` of business time from `issuedAt`, which is now unless given.
   * `iat`, in whole seconds, is that moment rounded down.
   */
  sign(claims: Readonly<Record<string, unknown>>, ttlSeconds: number, issuedAt?: Date): string;
  /** Returns the claims of a valid, unexpired token; undefined for anything else. */
  verify<S extends z.ZodType>(token: string, schema: S): z.output<S> | undefined;
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

/**
 * HS256 tokens; the algorithm is pinned, so a token can't choose its own. Life is measured with
 * the injected clock. Customer and admin tokens share the secret (contract: conventions > APIs):
 * what keeps them apart is each API looking the subject up in its own store.
 */
export const createTokenSigner = (options: { secret: string; clock: Clock }): TokenSigner => {
  // In a text the library looks for a public key first, each time, which takes half a millisecond.
  const key = createSecretKey(Buffer.from(options.secret, 'utf8'));
  const { clock } = options;
  return {
    sign(claims, ttlSeconds, issuedAt = clock.now()) {
      const iat = secondsOf(issuedAt);
      return jwt.sign({ ...claims, iat, exp: iat + ttlSeconds }, key, { algorithm: 'HS256' });
    },
    verify(token, schema) {
      try {
        const claims = jwt.verify(token, key, {
          algorithms: ['HS256'],
          clockTimestamp: secondsOf(clock.now()),
        });
        const parsed = schema.safeParse(claims);
        return parsed.success ? parsed.data : undefined;
      } catch {
        return undefined;
      }
    },
  };
};

/** Returns the token of an `Authorization: Bearer` header; undefined where there is none. */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer ([\w.~+/=-]{1,4096})$/iu.exec(header ?? '')?.[1];
