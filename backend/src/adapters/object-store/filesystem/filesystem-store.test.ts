import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../port.ts';
import { createFilesystemStore } from './create-filesystem-store.ts';

const bytes = Buffer.from('{"not":"a header"}\nsecond line\0');
const key = 'kyc/user-1/document.bin';

let directory: string;
let store: ObjectStore;

beforeEach(async () => {
  directory = path.join(await mkdtemp(path.join(tmpdir(), 'objects-')), 'store');
  store = createFilesystemStore({ OBJECT_STORE_DIR: directory });
});
afterEach(() => rm(path.dirname(directory), { recursive: true }));

const put = (content: Uint8Array, options = {}) => store.put(key, content, 'image/png', options);

describe('an object', () => {
  test('comes back byte for byte with its type', async () => {
    expect(await put(bytes)).toEqual({ kind: 'done', value: undefined });
    expect(await store.get(key)).toEqual({
      kind: 'done',
      value: { contentType: 'image/png', sizeBytes: bytes.length, bytes },
    });
    expect(await store.head(key)).toEqual({
      kind: 'done',
      value: { contentType: 'image/png', sizeBytes: bytes.length },
    });
  });

  test('may be empty, and may be replaced', async () => {
    await put(Buffer.alloc(0));
    expect(await store.get(key)).toMatchObject({ value: { sizeBytes: 0 } });
    await put(bytes);
    expect(await store.get(key)).toMatchObject({ value: { sizeBytes: bytes.length } });
  });

  test('is not replaced when it was to be new; of many at once one wins, whole', async () => {
    const attempts = await Promise.all(
      Array.from({ length: 10 }, (_unused, index) =>
        put(Buffer.alloc(100_000, index), { ifAbsent: true }),
      ),
    );
    expect(attempts.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    expect(attempts.filter(({ kind }) => kind === 'refused')).toHaveLength(9);
    expect(await put(bytes, { ifAbsent: true })).toMatchObject({ code: 'OBJECT_EXISTS' });
    const stored = await store.get(key);
    if (stored.kind !== 'done' || stored.value === undefined) throw new Error('not stored');
    expect(new Set(stored.value.bytes).size).toBe(1);
  });

  test('is gone after its deletion, which may be repeated', async () => {
    await put(bytes);
    expect(await store.delete(key)).toMatchObject({ kind: 'done' });
    expect(await store.delete(key)).toMatchObject({ kind: 'done' });
    expect(await store.get(key)).toEqual({ kind: 'done', value: undefined });
    expect(await store.head(key)).toEqual({ kind: 'done', value: undefined });
  });

  test('is readable by its owner alone, and leaves nothing beside it', async () => {
    await put(bytes);
    await put(bytes, { ifAbsent: true });
    expect((await stat(path.join(directory, key))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(directory, 'kyc'))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.join(directory, '.staging'))).toEqual([]);
  });

  test('that is not one of ours is unknown, not absent', async () => {
    await put(bytes);
    await writeFile(path.join(directory, key), 'something else');
    expect(await store.get(key)).toMatchObject({ kind: 'unknown' });
    expect(await store.head(key)).toMatchObject({ kind: 'unknown' });
  });
});

test('a key of a folder of objects is no object', async () => {
  await put(bytes);
  expect(await store.get('kyc/user-1')).toEqual({ kind: 'done', value: undefined });
});

test.each([
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

test('a disk that can not be written is unknown', async () => {
  await writeFile(directory, 'a file where the directory should be');
  expect(await put(bytes)).toMatchObject({ kind: 'unknown' });
});
