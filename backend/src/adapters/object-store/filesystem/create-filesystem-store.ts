import { randomUUID } from 'node:crypto';
import { open, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { done, refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import { isObjectKey } from '../object-key.ts';
import {
  INVALID_KEY,
  OBJECT_EXISTS,
  type ObjectStore,
  type StoredObject,
  type StoredObjectHead,
} from '../port.ts';
import { makeDirectory, moveIntoPlace, syncDirectory, writeDurably } from './durable-files.ts';
import type { FilesystemConfig } from './filesystem.config.ts';
import { headerReadBytes, printHeader, readHeader } from './object-file.ts';

// No key's segment can begin with a dot, so no object can be taken for one of these.
const stagingDirectory = '.staging';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'UNREADABLE_OBJECT';

const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error));

const invalidKey = (): Outcome<never> => refused(INVALID_KEY, 'not a key of an object');

const readHead = async (file: string): Promise<StoredObjectHead> => {
  const handle = await open(file, 'r');
  try {
    const beginning = Buffer.alloc(headerReadBytes);
    const { bytesRead } = await handle.read(beginning, 0, headerReadBytes, 0);
    const { header, headerBytes } = readHeader(beginning.subarray(0, bytesRead));
    const { size } = await handle.stat();
    return { contentType: header.contentType, sizeBytes: size - headerBytes };
  } finally {
    await handle.close();
  }
};

const readWhole = async (file: string): Promise<StoredObject> => {
  const whole = await readFile(file);
  const { header, headerBytes } = readHeader(whole);
  const bytes = whole.subarray(headerBytes);
  return { contentType: header.contentType, sizeBytes: bytes.length, bytes };
};

/**
 * Objects as files of one directory, 0600, written beside and then moved into place, so that a
 * reader sees all of an object or none of it; file and directory are synced before `done`.
 */
export const createFilesystemStore = (config: FilesystemConfig): ObjectStore => {
  const root = path.resolve(config.OBJECT_STORE_DIR);
  const staging = path.join(root, stagingDirectory);
  const fileOf = (key: string): string => path.join(root, ...key.split('/'));

  /** Returns undefined for an absent file, and the unknown outcome for an error of the disk. */
  const read = async <T>(key: string, how: (file: string) => Promise<T>) => {
    if (!isObjectKey(key)) return invalidKey();
    try {
      return done(await how(fileOf(key)));
    } catch (error) {
      return isAbsence(error) ? done(undefined) : unknown(codeOf(error));
    }
  };

  return {
    code: 'filesystem',

    async put(key, bytes, contentType, { ifAbsent = false } = {}) {
      if (!isObjectKey(key)) return invalidKey();
      const file = fileOf(key);
      const staged = path.join(staging, randomUUID());
      try {
        await makeDirectory(staging);
        await makeDirectory(path.dirname(file));
        await writeDurably(staged, [printHeader({ contentType }), bytes]);
        await moveIntoPlace(staged, file, ifAbsent);
        await syncDirectory(path.dirname(file));
        return done(undefined);
      } catch (error) {
        await unlink(staged).catch(() => undefined);
        return ifAbsent && codeOf(error) === 'EEXIST'
          ? refused(OBJECT_EXISTS, 'there is an object of this key')
          : unknown(codeOf(error));
      }
    },

    get: (key) => read(key, readWhole),
    head: (key) => read(key, readHead),

    delete: (key) =>
      read(key, async (file) => {
        await unlink(file);
        await syncDirectory(path.dirname(file));
      }),
  };
};
