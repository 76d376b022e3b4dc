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
  test('is readable only by its owner, and leaves no other file', async () => {
    await put(bytes);
    await put(bytes, { ifAbsent: true });
    expect((await stat(path.join(directory, key))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(directory, 'kyc'))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.join(directory, '.staging'))).toEqual([]);
  });

  test('that this store did not write is unknown and not absent', async () => {
    await put(bytes);
    await writeFile(path.join(directory, key), 'something else');
    expect(await store.get(key)).toMatchObject({ kind: 'unknown' });
    expect(await store.head(key)).toMatchObject({ kind: 'unknown' });
  });
});

test('a key of a folder of objects is not an object', async () => {
  await put(bytes);
  expect(await store.get('kyc/user-1')).toEqual({ kind: 'done', value: undefined });
});

test('a put is unknown if the disk cannot be written', async () => {
  await writeFile(directory, 'a file where the directory should be');
  expect(await put(bytes)).toMatchObject({ kind: 'unknown' });
});
