import { createHmac, randomBytes } from 'node:crypto';
import { hash as argon2 } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { createBlindIndex, constantTimeEqual, hashToken, keyedHash } from './hashes.ts';
import { createDataKeyCache } from './data-key-store.ts';
import { deriveKey, parseKeyring } from './keyring.ts';
import { keyIdOf, openText } from './sealing.ts';
import { createSecretHasher } from './secret-hasher.ts';

const base64 = (bytes = 32): string => randomBytes(bytes).toString('base64');

describe('parseKeyring', () => {
  it('takes the first key for current', () => {
    const keyring = parseKeyring(`k2:${base64()}, k1:${base64()}`);
    expect(keyring.current.id).toBe('k2');
    expect(keyring.ids).toEqual(['k2', 'k1']);
    expect(keyring.get('k1')?.bytes).toHaveLength(32);
  });

  it.each([
    ['nothing', ''],
    ['a short key', `k1:${base64(16)}`],
    ['a key without an id', base64()],
    ['an id twice', `k1:${base64()},k1:${base64()}`],
  ])('refuses %s', (_name, text) => {
    expect(() => parseKeyring(text)).toThrow(/keyring/u);
  });

  it('never prints a key that it refuses', () => {
    const secret = base64(31);
    expect(() => parseKeyring(`k1:${base64()},k2:${secret}`)).toThrow(
      'key 2 of the keyring is not "id:base64" of 32 bytes',
    );
  });
});

describe('blind index', () => {
  const index = createBlindIndex('dev-only-blind-index-key-for-tests');

  it('meets for one value however it is written, and differs by purpose and key', () => {
    expect(index('pan', ' abcde1234f ')).toBe(index('pan', 'ABCDE1234F'));
    expect(index('pan', 'ABCDE1234F')).not.toBe(index('phone', 'ABCDE1234F'));
    const other = createBlindIndex('dev-only-another-index-key-of-tests');
    expect(other('pan', 'ABCDE1234F')).not.toBe(index('pan', 'ABCDE1234F'));
    expect(index('pan', 'x')).toMatch(/^[\w-]{43}$/u);
  });

  it('refuses a short key', () => {
    expect(() => createBlindIndex('short')).toThrow('too short');
  });
});

describe('secret hasher', () => {
  const hasher = createSecretHasher({ pepper: 'dev-only-pepper-of-tests' });
  const caller = { clientGone: new AbortController().signal, id: 'a test', isKnown: false };
  const verify = (secret: string, stored: string | undefined, by = hasher): Promise<boolean> =>
    by.checkInTurn(caller, (verifySecret) => verifySecret(secret, stored));

  it('hashes with argon2id at the set cost and verifies', async () => {
    const hash = await hasher.hashSecret('4821');
    expect(hash.startsWith(hasher.currentPrefix)).toBe(true);
    const bytes = deriveKey(Buffer.from('dev-only-pepper-of-tests'), 'credential-pepper');
    const place = { purpose: 'credential', column: 'credential.hash', row: '' };
    const opened = openText({ id: keyIdOf(hash), bytes }, hash, place);
    expect(opened).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u);
    expect(await verify('4821', hash)).toBe(true);
    expect(await verify('4822', hash)).toBe(false);
  });

  it('is worth nothing under another pepper', async () => {
    const other = createSecretHasher({ pepper: 'dev-only-pepper-of-others' });
    expect(await verify('4821', await hasher.hashSecret('4821'), other)).toBe(false);
  });

  it('knows a hash of the earlier form by any pepper, and leaves it to its owner', async () => {
    const [oldPepper, newPepper] = ['dev-only-pepper-of-before', 'dev-only-pepper-of-today'];
    const peppered = createHmac('sha256', oldPepper).update('4821').digest('base64url');
    const stored = await argon2(peppered);
    const rotating = createSecretHasher({ pepper: `${newPepper},${oldPepper}` });
    expect(await verify('4821', stored, rotating)).toBe(true);
    expect(await verify('4822', stored, rotating)).toBe(false);
    expect(rotating.reseal(stored)).toBeUndefined();
    expect(await verify('4821', stored, createSecretHasher({ pepper: newPepper }))).toBe(false);
  });

  it('refuses a pepper that is short or there twice', () => {
    const long = 'dev-only-pepper-of-tests';
    expect(() => createSecretHasher({ pepper: `${long},short` })).toThrow('too short');
    expect(() => createSecretHasher({ pepper: `${long},${long}` })).toThrow('twice');
  });

  it('answers false where there is no hash, also to the text it compares with', async () => {
    expect(await verify('nobody', undefined)).toBe(false);
  });
});

const createCache = () => {
  let elapsed = 0;
  const cache = createDataKeyCache({ maxEntries: 2, lifeMs: 100, elapsedMs: () => elapsed });
  const advance = (ms: number): void => {
    elapsed += ms;
  };
  return { cache, advance };
};

describe('data key cache', () => {
  const bytes = Buffer.alloc(32, 7);

  it('forgets by age and by number', () => {
    const { cache, advance } = createCache();
    for (const user of ['a', 'b', 'c']) cache.put(user, bytes);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('c')).toBe(bytes);
    advance(100);
    expect(cache.get('c')).toBeUndefined();
  });

  it('takes no key back that was dropped, until no old read can be under way', () => {
    const { cache, advance } = createCache();
    cache.put('a', bytes);
    cache.drop('a');
    cache.put('a', bytes);
    expect(cache.get('a')).toBeUndefined();
    advance(100);
    cache.put('a', bytes);
    expect(cache.get('a')).toBe(bytes);
  });
});

describe('hashes of tokens', () => {
  it('are stable, and keyed ones differ by key, purpose and text', () => {
    expect(hashToken('t')).toBe(hashToken('t'));
    expect(hashToken('t')).not.toBe(hashToken('u'));
    const hashes = [
      keyedHash('k', 'otp', '123456'),
      keyedHash('l', 'otp', '123456'),
      keyedHash('k', 'otp1', '23456'),
      keyedHash('k', 'otp', '123457'),
    ];
    expect(new Set(hashes).size).toBe(4);
  });

  it('compares texts of any length', () => {
    expect(constantTimeEqual('abc', 'abc')).toBe(true);
    expect(constantTimeEqual('abc', 'abcd')).toBe(false);
    expect(constantTimeEqual('', '')).toBe(true);
  });
});
