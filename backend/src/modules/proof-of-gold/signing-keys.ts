import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** A key that signs statements, by its public half. */
export interface SigningKey {
  /** 32 bytes as base64url. */
  readonly publicKey: string;
  /** Returns the signature of a text as base64url. */
  sign(text: string): string;
}

/** Stands before the 32 bytes of a private key in the form that the library reads (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

const publicHalf = (key: KeyObject): string => {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return x;
};

const toSigningKey = (seed: string): SigningKey => {
  const der = Buffer.concat([pkcs8Prefix, Buffer.from(seed, 'base64')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    publicKey: publicHalf(key),
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('base64url'),
  };
};

const isSeed = (text: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/u.test(text) && Buffer.from(text, 'base64').length === 32;

/** Parses a list `new,old` of keys of 32 bytes as base64. Returns none where it is not given. */
export const signingKeyList = () =>
  z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .refine(
      (keys) => keys.every(isSeed) && new Set(keys).size === keys.length,
      'each of the list must be 32 bytes as base64 and be there once',
    )
    .optional();

/** Reads the keys, the one that signs for good first. */
export const readSigningKeys = (seeds: readonly string[] = []): readonly SigningKey[] =>
  seeds.map(toSigningKey);
