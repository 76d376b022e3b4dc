import { createHash } from 'node:crypto';
import { deriveKey } from './keyring.ts';

/** The keys of a list `new,old`: the first one writes, all of them read. */
export type KeyList = readonly [string, ...(readonly string[])];

/**
 * Parses `new,old`, comma-separated, newest first; a single key is a list of one.
 * @throws Error that names the list and never a key: for an empty list, a key that is shorter than
 * `minLength` characters, or one that is there twice
 */
export const parseKeyList = (name: string, text: string, minLength: number): KeyList => {
  const [first, ...others] = text.split(',').map((key) => key.trim());
  const keys = [first ?? '', ...others] as const;
  if (keys.some((key) => key.length < minLength)) throw new Error(`${name} is too short`);
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a key twice`);
  return keys;
};

/**
 * The public id of a key, of 8 letters: a stored value names by it the key that made it. It tells
 * nothing about the key, and another `use` of the key has another id.
 */
export const keyIdFor = (key: string, use: string): string =>
  createHash('sha256')
    .update(deriveKey(Buffer.from(key, 'utf8'), `${use}|id`))
    .digest('base64url')
    .slice(0, 8);
