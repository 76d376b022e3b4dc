import { randomBytes, randomInt } from 'node:crypto';
import { createUuids } from './create-uuids.ts';

/** Makes ids and secrets; injected, so that a test can decide what comes out. */
export interface Random {
  /** Makes a UUIDv7: the form of every id. */
  uuid(): string;
  bytes(count: number): Buffer;
  /** Draws `count` decimal digits evenly, leading zeros kept. */
  digits(count: number): string;
  /** Draws an integer from 0 to below `maxExclusive`. */
  int(maxExclusive: number): number;
}

/** Creates a source of randomness from the operating system. */
export const createRandom = (): Random => ({
  uuid: createUuids(),
  bytes: (count) => randomBytes(count),
  digits: (count) => String(randomInt(10 ** count)).padStart(count, '0'),
  int: (maxExclusive) => randomInt(maxExclusive),
});

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** Returns true for the text form of a UUID of any version; anything else in a path is 404. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);
