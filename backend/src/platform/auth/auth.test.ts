import { createHmac } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRedis } from '#test/support/connect-redis.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { addSeconds } from '../clock/clock.ts';
import { createManualClock } from '../clock/manual-clock.ts';
import { closeRedis, createRedis } from '../redis/index.ts';
import { bearerToken, createTokenSigner } from './jwt.ts';
import { createRevocationList } from './revocation-list.ts';

const claims = z.object({ sub: z.string() });
const secret = 'a secret of at least thirty-two characters';

const base64url = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token', () => {
  it('lives as long as it says, on the business clock', () => {
    const clock = createManualClock();
    const tokens = createTokenSigner({ secret, clock });
    const token = tokens.sign({ sub: 'ann' }, 900);
    expect(tokens.verify(token, claims)).toEqual({ sub: 'ann' });
    clock.set(addSeconds(clock.now(), 899));
    expect(tokens.verify(token, claims)).toEqual({ sub: 'ann' });
    clock.set(addSeconds(clock.now(), 2));
    expect(tokens.verify(token, claims)).toBeUndefined();
  });

  it('is worth nothing when forged, altered or of another algorithm', () => {
    const clock = createManualClock();
    const tokens = createTokenSigner({ secret, clock });
    const [head, body, signature] = tokens.sign({ sub: 'ann' }, 900).split('.');
    const seconds = Math.floor(clock.now().getTime() / 1000);
    const mallory = base64url({ sub: 'mallory', iat: seconds, exp: seconds + 900 });
    const none = `${base64url({ alg: 'none', typ: 'JWT' })}.${mallory}.`;
    const otherKey = jwt.sign({ sub: 'mallory' }, 'another secret, just as long as it', {
      algorithm: 'HS256',
    });
    const hs512 = jwt.sign({ sub: 'mallory' }, secret, { algorithm: 'HS512' });
    const resigned = createHmac('sha256', '').update(`${head}.${mallory}`).digest('base64url');
    const forged = [
      none,
      otherKey,
      hs512,
      `${head}.${mallory}.${signature}`,
      `${head}.${mallory}.${resigned}`,
      `${head}.${body}.`,
      '',
      'x.y.z',
    ];
    for (const token of forged) expect(tokens.verify(token, claims)).toBeUndefined();
  });

  it('is worth nothing without an expiry, or with an extension that is to be understood', () => {
    const clock = createManualClock();
    const tokens = createTokenSigner({ secret, clock });
    const exp = Math.floor(clock.now().getTime() / 1000) + 900;
    const sign = (payload: object, header: object = {}): string =>
      jwt.sign(payload, secret, {
        algorithm: 'HS256',
        header: { alg: 'HS256', ...header },
        noTimestamp: true,
      });
    expect(tokens.verify(sign({ sub: 'ann', exp }), claims)).toEqual({ sub: 'ann' });
    expect(tokens.verify(sign({ sub: 'ann' }), claims)).toBeUndefined();
    expect(tokens.verify(sign({ sub: 'ann', exp }, { crit: ['b64'] }), claims)).toBeUndefined();
  });

  it('is refused when its claims are not those that are asked for', () => {
    const tokens = createTokenSigner({ secret, clock: createManualClock() });
    const token = tokens.sign({ sub: 7 }, 900);
    expect(tokens.verify(token, claims)).toBeUndefined();
  });

  it('is taken from a bearer header alone', () => {
    expect(bearerToken('Bearer abc.def-1_2')).toBe('abc.def-1_2');
    expect(bearerToken('bearer abc')).toBe('abc');
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'abc']) {
      expect(bearerToken(header)).toBeUndefined();
    }
  });
});

describe('the revocation list', () => {
  let fresh: FreshDatabase;
  beforeAll(async () => {
    fresh = await freshDatabase();
  });
  afterAll(async () => {
    await fresh.drop();
  });

  it('rejects what was revoked, and nothing else', async () => {
    const redis = await connectRedis(fresh.redisUrl);
    const list = createRevocationList({ redis, onError: () => {} });
    await list.revoke(['one', 'two'], 60);
    expect(await list.isRevoked(['three', 'two'])).toBe(true);
    expect(await list.isRevoked(['three'])).toBe(false);
    expect(await list.isRevoked([])).toBe(false);
    await closeRedis(redis);
  });

  it('lets tokens pass while the cache is down, and says so', async () => {
    const redis = createRedis('redis://127.0.0.1:1', 'fail-fast');
    const errors: unknown[] = [];
    const list = createRevocationList({ redis, onError: (error) => errors.push(error) });
    await list.revoke(['one'], 60);
    expect(await list.isRevoked(['one'])).toBe(false);
    expect(errors).toHaveLength(2);
    await closeRedis(redis);
  });
});
