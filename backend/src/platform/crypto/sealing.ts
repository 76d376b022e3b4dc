import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Binds a sealed value to its place. Opening it anywhere else fails. */
export interface SealContext {
  /** The purpose of the value, such as `personal-data` or `webhook-body`. */
  readonly purpose: string;
  /** `table.column`. */
  readonly column: string;
  /** The row's id. */
  readonly row: string;
}

export interface SealingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Thrown when a sealed value was moved, changed or sealed with another key. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

const version = 'v1';
const versionByte = 1;
const ivLength = 12;
const tagLength = 16;

const associatedData = (keyId: string, context: SealContext): Buffer => {
  const parts = [version, keyId, context.purpose, context.column];
  // A "|" in a part would let two contexts give the same bytes. The row may contain one, since it
  // comes last.
  if (parts.some((part) => part === '' || part.includes('|'))) {
    throw new SealError('a seal needs a purpose and a column without "|"');
  }
  return Buffer.from([...parts, context.row].join('|'), 'utf8');
};

const encrypt = (key: SealingKey, plaintext: Uint8Array, context: SealContext): Buffer => {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: tagLength });
  cipher.setAAD(associatedData(key.id, context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
};

const decrypt = (key: SealingKey, sealed: Buffer, context: SealContext): Buffer => {
  if (sealed.length < ivLength + tagLength) throw new SealError('a sealed value is cut short');
  const iv = sealed.subarray(0, ivLength);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: tagLength });
  decipher.setAAD(associatedData(key.id, context));
  decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
  const ciphertext = sealed.subarray(ivLength + tagLength);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    throw new SealError(`a value of ${context.column} does not open with key ${key.id}`);
  }
};

/** Seals text with AES-256-GCM as `v1.<key id>.<base64url>`, bound to `context`. */
export const sealText = (key: SealingKey, plaintext: string, context: SealContext): string =>
  [
    version,
    key.id,
    encrypt(key, Buffer.from(plaintext, 'utf8'), context).toString('base64url'),
  ].join('.');

const sealedPattern = /^v1\.(?<keyId>[A-Za-z0-9_-]{1,16})\.(?<body>[A-Za-z0-9_-]+)$/u;

/** Returns the id of the key that sealed a text. Throws SealError if it is not a sealed text. */
export const keyIdOf = (sealed: string): string => {
  const keyId = sealedPattern.exec(sealed)?.groups?.['keyId'];
  if (keyId === undefined) throw new SealError('not a sealed value');
  return keyId;
};

/** Opens what `sealText` sealed. Throws SealError when key, place or content differ. */
export const openText = (key: SealingKey, sealed: string, context: SealContext): string => {
  const groups = sealedPattern.exec(sealed)?.groups;
  if (groups?.['keyId'] !== key.id) throw new SealError('sealed with another key');
  return decrypt(key, Buffer.from(groups['body'] ?? '', 'base64url'), context).toString('utf8');
};

/** Seals bytes (a document) as `[1][length of key id][key id][iv][tag][ciphertext]`. */
export const sealBytes = (key: SealingKey, plain: Uint8Array, context: SealContext): Buffer => {
  const id = Buffer.from(key.id, 'utf8');
  return Buffer.concat([Buffer.from([versionByte, id.length]), id, encrypt(key, plain, context)]);
};

/** Splits sealed bytes into the id of their key and the encrypted body. */
export const splitSealedBytes = (sealed: Uint8Array): { keyId: string; body: Buffer } => {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const idLength = bytes[1];
  if (bytes[0] !== versionByte || idLength === undefined || idLength > 16) {
    throw new SealError('not sealed bytes');
  }
  return { keyId: bytes.toString('utf8', 2, 2 + idLength), body: bytes.subarray(2 + idLength) };
};

/** Opens what `sealBytes` sealed. Throws SealError when key, place or content differ. */
export const openBytes = (key: SealingKey, sealed: Uint8Array, context: SealContext): Buffer => {
  const { keyId, body } = splitSealedBytes(sealed);
  if (keyId !== key.id) throw new SealError('sealed with another key');
  return decrypt(key, body, context);
};
