import { randomBytes, randomInt } from 'node:crypto';
import { v7 } from 'uuid';
import { createSystemClock } from '../clock/clock.ts';

const bytesOfId = 16;
const idsOfDraw = 256;

/**
 * Creates a source of UUIDv7s that also rise within a millisecond. Every request needs an id. The
 * bytes are drawn in advance, since drawing 16 bytes from the system takes ten times as long as the
 * rest of an id.
 */
export const createUuids = (): (() => string) => {
  const clock = createSystemClock();
  let pool = Buffer.alloc(0);
  let used = 0;
  let lastMs = 0;
  let seq = 0;
  return () => {
    if (used >= pool.length) {
      pool = randomBytes(bytesOfId * idsOfDraw);
      used = 0;
    }
    const random = pool.subarray(used, used + bytesOfId);
    used += bytesOfId;
    const nowMs = clock.now().getTime();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      // One bit is left free, so that counting on within the millisecond does not overflow.
      seq = random.readUInt32BE(6) >>> 1;
    } else {
      seq += 1;
    }
    return v7({ random, msecs: lastMs, seq });
  };
};

/** Makes ids and secrets. It is injected, so that a test can choose them. */
export interface Random {
  /** Makes a UUIDv7, which is the form of every id. */
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

/** Returns true for the text form of a UUID of any version. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);
