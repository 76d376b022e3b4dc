import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Timers } from '../../../platform/clock/timers.ts';

const fileName = 'sandbox-books.json';
const version = 1;
const shortestPauseMs = 200;
/** Saving takes at most one part in so many of the process's time, however large the books. */
const pauseFactor = 20;

interface BooksFileOptions {
  readonly dir: string;
  readonly snapshot: () => unknown;
  readonly timers: Timers;
  readonly onError: (error: unknown) => void;
}

export interface BooksFile {
  /** What the last process saved; undefined when there is nothing. */
  load(): unknown;
  /** Saves soon. */
  changed(): void;
  /** Saves what is not saved yet, now, and goes on no more. */
  close(): void;
}

const readSaved = (path: string): unknown => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const saved: unknown = JSON.parse(text);
  const readable = typeof saved === 'object' && saved !== null && 'version' in saved;
  if (!readable || saved.version !== version || !('books' in saved)) {
    throw new Error(`${path} was written by another version of the sandbox; remove it`);
  }
  return saved.books;
};

/** Keeps the books in one file, replaced whole, written behind the changes and at the end. */
export const createBooksFile = (options: BooksFileOptions): BooksFile => {
  const { dir, snapshot, timers, onError } = options;
  const path = join(dir, fileName);
  const closing = new AbortController();
  let isDirty = false;
  let isSaveDue = false;
  let pauseMs = shortestPauseMs;

  const save = (): void => {
    isDirty = false;
    try {
      writeFileSync(`${path}.new`, JSON.stringify({ version, books: snapshot() }));
      chmodSync(`${path}.new`, 0o600);
      renameSync(`${path}.new`, path);
    } catch (error) {
      isDirty = true;
      onError(error);
    }
  };

  const saveBehind = async (): Promise<void> => {
    await timers.sleep(pauseMs, closing.signal);
    isSaveDue = false;
    if (closing.signal.aborted) return;
    const startedMs = performance.now();
    save();
    pauseMs = Math.max(shortestPauseMs, (performance.now() - startedMs) * pauseFactor);
  };

  return {
    load() {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      return readSaved(path);
    },
    changed() {
      isDirty = true;
      if (isSaveDue || closing.signal.aborted) return;
      isSaveDue = true;
      void saveBehind();
    },
    close() {
      closing.abort();
      if (isDirty) save();
    },
  };
};
