import { link, mkdir, open, rename, unlink, readFile } from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { done, refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import {
  isObjectKey,
  INVALID_KEY,
  OBJECT_EXISTS,
  type ObjectStore,
  type StoredObject,
  type StoredObjectHead,
} from '../port.ts';
import type { FilesystemConfig } from './filesystem.config.ts';

const directoryMode = 0o700;
const fileMode = 0o600;

/** Syncs a directory, so that its entries survive a crash. */
const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Writes a new file and syncs it to the disk. */
const writeDurably = async (file: string, parts: readonly Uint8Array[]): Promise<void> => {
  const handle = await open(file, 'wx', fileMode);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Creates missing directories, and syncs each new name. */
const makeDirectory = async (directory: string): Promise<void> => {
  const first = await mkdir(directory, { recursive: true, mode: directoryMode });
  if (first === undefined) return;
  for (let created = directory; created.length >= first.length; created = path.dirname(created)) {
    await syncDirectory(path.dirname(created));
  }
};

/** Renames a staged file to its name. With `ifAbsent` it fails with EEXIST if the name is taken. */
const moveIntoPlace = async (staged: string, file: string, ifAbsent: boolean): Promise<void> => {
  if (!ifAbsent) return rename(staged, file);
  // Unlike a rename, a link never replaces an existing file.
  await link(staged, file);
  return unlink(staged);
};

/*
 * An object is one file, so that its bytes and content type are always stored together. The file has a
 * header line of JSON, a line feed and the bytes.
 */

const lineFeed = 0x0a;
const maxHeaderBytes = 1024;

interface ObjectHeader {
  readonly contentType: string;
}

/** Returns the header line of a file. */
const printHeader = (header: ObjectHeader): Buffer =>
  Buffer.from(`${JSON.stringify(header)}\n`, 'utf8');

/**
 * Parses the header at the beginning of a file. Returns the header and its length in bytes.
 * @throws TypeError if the bytes are not of an object
 */
const readHeader = (bytes: Buffer): { header: ObjectHeader; headerBytes: number } => {
  const end = bytes.subarray(0, maxHeaderBytes).indexOf(lineFeed);
  const parsed: unknown = end < 0 ? undefined : JSON.parse(bytes.subarray(0, end).toString('utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'contentType' in parsed) {
    const { contentType } = parsed;
    if (typeof contentType === 'string') return { header: { contentType }, headerBytes: end + 1 };
  }
  throw new TypeError('not an object file');
};

// No segment of a key can begin with a dot, so no object can be in this directory.
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
    const beginning = Buffer.alloc(maxHeaderBytes);
    const { bytesRead } = await handle.read(beginning, 0, maxHeaderBytes, 0);
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
 * Creates a store of objects as files of one directory, with mode 0600. Each file is written under a
 * temporary name and then renamed, so that a reader sees all of an object or none of it. A put is
 * `done` after the file and its directory are synced.
 */
export const createFilesystemStore = (config: FilesystemConfig): ObjectStore => {
  const root = path.resolve(config.OBJECT_STORE_DIR);
  const staging = path.join(root, stagingDirectory);
  const fileOf = (key: string): string => path.join(root, ...key.split('/'));

  /** Uses the file of a key. Returns undefined if it is absent, and unknown for other errors. */
  const withFile = async <T>(key: string, use: (file: string) => Promise<T>) => {
    if (!isObjectKey(key)) return invalidKey();
    try {
      return done(await use(fileOf(key)));
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
          ? refused(OBJECT_EXISTS, 'an object with this key already exists')
          : unknown(codeOf(error));
      }
    },

    get: (key) => withFile(key, readWhole),
    head: (key) => withFile(key, readHead),

    delete: (key) =>
      withFile(key, async (file) => {
        await unlink(file);
        await syncDirectory(path.dirname(file));
      }),
  };
};
