import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';

const directoryMode = 0o700;
const fileMode = 0o600;

/** Syncs a directory, so that its entries survive a crash. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Writes a new file with these bytes, on the disk before it returns. */
export const writeDurably = async (file: string, parts: readonly Uint8Array[]): Promise<void> => {
  const handle = await open(file, 'wx', fileMode);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Creates missing directories, and syncs each new name. */
export const makeDirectory = async (directory: string): Promise<void> => {
  const first = await mkdir(directory, { recursive: true, mode: directoryMode });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = path.dirname(made)) {
    await syncDirectory(path.dirname(made));
  }
};

/** Renames a staged file to its name; with `ifAbsent` it fails with EEXIST where that is taken. */
export const moveIntoPlace = async (
  staged: string,
  file: string,
  ifAbsent: boolean,
): Promise<void> => {
  if (!ifAbsent) return rename(staged, file);
  // Unlike a rename, a link never replaces what is there.
  await link(staged, file);
  return unlink(staged);
};
