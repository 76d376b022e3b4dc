import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** A key that signs statements. */
export interface SigningKey {
  /** 32 bytes as base64url. */
  readonly publicKey: string;
  /** Returns the signature of a text as base64url. */
  sign(text: string): string;
}

/** The bytes that precede the 32 bytes of a private key in PKCS #8 (RFC 8410). */
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

/** Creates the schema of an optional list `new,old` of keys, each of 32 bytes as base64. */
export const signingKeyList = () =>
  z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim()))
    .refine(
      (keys) => keys.every(isSeed) && new Set(keys).size === keys.length,
      'each of the list must be 32 bytes as base64 and be there once',
    )
    .optional();

/** Converts the seeds to signing keys, in the order of the list. */
export const readSigningKeys = (seeds: readonly string[] = []): readonly SigningKey[] =>
  seeds.map(toSigningKey);
