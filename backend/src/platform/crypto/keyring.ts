import { hkdfSync, createHash } from 'node:crypto';

/** A key of the ring. Its bytes are used only to derive other keys. */
export interface KeyringKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The keys that wrap data keys and seal values without a customer. The first one is current. */
export interface Keyring {
  readonly current: KeyringKey;
  readonly ids: readonly string[];
  get(id: string): KeyringKey | undefined;
}

export const keyLength = 32;
const entryPattern = /^(?<id>[A-Za-z0-9_-]{1,16}):(?<base64>[A-Za-z0-9+/]+={0,2})$/u;

const parseEntry = (entry: string, position: number): KeyringKey => {
  const groups = entryPattern.exec(entry)?.groups;
  const bytes = Buffer.from(groups?.['base64'] ?? '', 'base64');
  const id = groups?.['id'];
  // Neither the entry nor the bytes may reach a message: messages are logged.
  if (id === undefined || bytes.length !== keyLength) {
    throw new Error(`key ${position + 1} of the keyring is not "id:base64" of ${keyLength} bytes`);
  }
  return { id, bytes };
};

/**
 * Parses `k2:base64,k1:base64`. An id has 1 to 16 letters, digits, `_` or `-`. A key has 32 bytes.
 * The first key seals and wraps, and the others only open.
 * @throws Error that names the position of the faulty key and never its bytes
 */
export const parseKeyring = (text: string): Keyring => {
  const keys = text.split(',').map((entry, position) => parseEntry(entry.trim(), position));
  const byId = new Map(keys.map((key) => [key.id, key]));
  const [current] = keys;
  if (current === undefined) throw new Error('the keyring is empty');
  if (byId.size !== keys.length) throw new Error('two keys of the keyring have the same id');
  return { current, ids: keys.map((key) => key.id), get: (id) => byId.get(id) };
};

/** Derives a separate key for each use, so that no two uses share a key (RFC 5869). */
export const deriveKey = (bytes: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), use, keyLength));

/** The keys of a list `new,old`. The first key writes, all keys read. */
type KeyList = readonly [string, ...(readonly string[])];

/**
 * Parses `new,old`, comma-separated, newest first. A single key is also a list.
 * @throws Error that names the list and never a key, if the list is empty, a key is shorter than
 * `minLength` characters, or a key is there twice
 */
export const parseKeyList = (name: string, text: string, minLength: number): KeyList => {
  const [first, ...others] = text.split(',').map((key) => key.trim());
  const keys = [first ?? '', ...others] as const;
  if (keys.some((key) => key.length < minLength)) throw new Error(`${name} is too short`);
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a key twice`);
  return keys;
};

/**
 * Returns the public id of a key, of 8 characters, by which a stored value names its key. It
 * reveals nothing about the key. The same key has another id for another `use`.
 */
export const keyIdFor = (key: string, use: string): string =>
  createHash('sha256')
    .update(deriveKey(Buffer.from(key, 'utf8'), `${use}|id`))
    .digest('base64url')
    .slice(0, 8);
