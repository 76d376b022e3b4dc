import { randomBytes, randomInt } from 'node:crypto';
import { createUuids } from './create-uuids.ts';

/** Ids and secrets; injected, so that a test can say what comes out. */
export interface Random {
  /** A UUIDv7: every id of ours. */
  uuid(): string;
  bytes(count: number): Buffer;
  /** `count` decimal digits, evenly drawn, leading zeros kept. */
  digits(count: number): string;
  /** An integer from 0 to below `maxExclusive`. */
  int(maxExclusive: number): number;
}

/** Randomness from the operating system. */
export const createRandom = (): Random => ({
  uuid: createUuids(),
  bytes: (count) => randomBytes(count),
  digits: (count) => String(randomInt(10 ** count)).padStart(count, '0'),
  int: (maxExclusive) => randomInt(maxExclusive),
});

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/** True for the text form of a UUID of any version; anything else in a path is 404. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);
