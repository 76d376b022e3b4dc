import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../src/adapters/object-store/port.ts';
import { openFilesystemStore, openS3Store, type OpenStore } from '#test/support/open-stores.ts';

// The project `s3` runs this file with an S3 server, the project `fast` with a folder.
const open = process.env['STORE_UNDER_TEST'] === 's3' ? openS3Store : openFilesystemStore;

let opened: OpenStore;
let store: ObjectStore;
beforeAll(async () => {
  opened = await open();
  store = opened.store;
});
afterAll(() => opened.close());

const bytes = Buffer.from('{"not":"a header"}\nsecond line\0');
let keys = 0;
const newKey = (): string => `kyc/user-1/document-${(keys += 1)}.bin`;
const put = (key: string, content: Uint8Array, options = {}) =>
  store.put(key, content, 'image/png', options);

describe('an object', () => {
  it('comes back byte for byte with its type', async () => {
    const key = newKey();
    expect(await put(key, bytes)).toEqual({ kind: 'done', value: undefined });
    expect(await store.get(key)).toEqual({
      kind: 'done',
      value: { contentType: 'image/png', sizeBytes: bytes.length, bytes },
    });
    expect(await store.head(key)).toEqual({
      kind: 'done',
      value: { contentType: 'image/png', sizeBytes: bytes.length },
    });
  });

  it('may be empty, and may be replaced', async () => {
    const key = newKey();
    await put(key, Buffer.alloc(0));
    expect(await store.get(key)).toMatchObject({ value: { sizeBytes: 0 } });
    await put(key, bytes);
    expect(await store.get(key)).toMatchObject({ value: { sizeBytes: bytes.length } });
  });

  it('of 3 MB comes back whole', async () => {
    const key = newKey();
    const large = Buffer.from(Array.from({ length: 3_000_000 }, (_unused, index) => index % 251));
    await put(key, large);
    const stored = await store.get(key);
    expect(stored.kind === 'done' && stored.value?.bytes.equals(large)).toBe(true);
  });

  it('is not replaced when it was to be new; of many at once one wins, whole', async () => {
    const key = newKey();
    const attempts = await Promise.all(
      Array.from({ length: 10 }, (_unused, index) =>
        put(key, Buffer.alloc(100_000, index), { ifAbsent: true }),
      ),
    );
    expect(attempts.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    expect(await put(key, bytes, { ifAbsent: true })).toMatchObject({ code: 'OBJECT_EXISTS' });
    const stored = await store.get(key);
    if (stored.kind !== 'done' || stored.value === undefined) throw new Error('not stored');
    expect(stored.value.sizeBytes).toBe(100_000);
    expect(new Set(stored.value.bytes).size).toBe(1);
  });

  it('is gone after its deletion, which may be repeated', async () => {
    const key = newKey();
    await put(key, bytes);
    expect(await store.delete(key)).toMatchObject({ kind: 'done' });
    expect(await store.delete(key)).toMatchObject({ kind: 'done' });
    expect(await store.get(key)).toEqual({ kind: 'done', value: undefined });
    expect(await store.head(key)).toEqual({ kind: 'done', value: undefined });
  });
});

it.each([
  '',
  '.',
  '..',
  '../outside',
  'kyc/../../outside',
  'kyc//double',
  '/absolute',
  'trailing/',
  '.staging/file',
  'kyc/.hidden',
  'back\\slash',
  'nul\0',
  'line\n',
  'a b',
  '%2e%2e/outside',
  'a'.repeat(513),
])('%j is no key', async (wrong) => {
  for (const outcome of [
    await store.put(wrong, bytes, 'image/png'),
    await store.get(wrong),
    await store.head(wrong),
    await store.delete(wrong),
  ]) {
    expect(outcome).toMatchObject({ kind: 'refused', code: 'INVALID_KEY' });
  }
});
