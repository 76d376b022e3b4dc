import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpotPrices } from '../collaborators/safegold/price-source.ts';
import type { Delivery } from '../core/webhook-outbox.ts';
import type { SandboxParts } from '../sandbox-parts.ts';
import { fromSaved, toSaved } from './saved-value.ts';

const fileName = 'sandbox-books.json';
const version = 1;
const shortestPauseMs = 200;
/**
 * The pause after a save is at least this many times as long as the save. So saving takes little of
 * the process's time, even if the state is large.
 */
const pauseFactor = 20;

interface Saved {
  readonly clockOffsetMs: number;
  readonly prices: SpotPrices | null;
  readonly collaborators: Readonly<Record<string, unknown>>;
  readonly deliveries: readonly Delivery[];
}

interface StateFileOptions {
  readonly dir: string;
  readonly parts: SandboxParts;
  readonly onError: (error: unknown) => void;
}

export interface StateFile {
  /** Restores the state of the last process, if it saved one, and resumes its unfinished work. */
  load(): void;
  /** Schedules a save. Call it after each change of the state. */
  changed(): void;
  /** Saves at once if a change is unsaved. Later changes are not saved. */
  close(): void;
}

const snapshot = ({ clock, prices, collaborators, outbox }: SandboxParts) => {
  const stores = collaborators.map(({ name, store }) => [name, store.save()]);
  return {
    clockOffsetMs: clock.offsetMs(),
    prices: toSaved(prices.fixed() ?? null),
    collaborators: Object.fromEntries(stores) as Saved['collaborators'],
    deliveries: outbox.waiting(),
  };
};

const restore = (parts: SandboxParts, saved: Saved): void => {
  const prices = fromSaved(saved.prices) as SpotPrices | null;
  parts.clock.setOffsetMs(saved.clockOffsetMs);
  if (prices !== null) parts.prices.fix(prices);
  for (const { name, store } of parts.collaborators) {
    const records = saved.collaborators[name];
    if (records !== undefined) store.load(records);
  }
  parts.outbox.resume(saved.deliveries);
  parts.resume();
};

const readSaved = (path: string): Saved | undefined => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const file: unknown = JSON.parse(text);
  const hasVersion = typeof file === 'object' && file !== null && 'version' in file;
  if (!hasVersion || file.version !== version || !('books' in file)) {
    throw new Error(`${path} was written by another version of the sandbox; remove it`);
  }
  // The cast is safe, since a file of this version contains a result of `snapshot`.
  return file.books as Saved;
};

/** Keeps the sandbox's state in one file, which is replaced as a whole soon after each change. */
export const createStateFile = ({ dir, parts, onError }: StateFileOptions): StateFile => {
  const path = join(dir, fileName);
  const closing = new AbortController();
  let isDirty = false;
  let isSaveDue = false;
  let pauseMs = shortestPauseMs;

  const save = (): void => {
    isDirty = false;
    try {
      writeFileSync(`${path}.new`, JSON.stringify({ version, books: snapshot(parts) }));
      chmodSync(`${path}.new`, 0o600);
      renameSync(`${path}.new`, path);
    } catch (error) {
      isDirty = true;
      onError(error);
    }
  };

  const saveAfterPause = async (): Promise<void> => {
    await parts.timers.sleep(pauseMs, closing.signal);
    isSaveDue = false;
    if (closing.signal.aborted) return;
    const startedMs = performance.now();
    save();
    pauseMs = Math.max(shortestPauseMs, (performance.now() - startedMs) * pauseFactor);
  };

  return {
    load() {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const saved = readSaved(path);
      if (saved !== undefined) restore(parts, saved);
    },
    changed() {
      isDirty = true;
      if (isSaveDue || closing.signal.aborted) return;
      isSaveDue = true;
      void saveAfterPause();
    },
    close() {
      closing.abort();
      if (isDirty) save();
    },
  };
};
