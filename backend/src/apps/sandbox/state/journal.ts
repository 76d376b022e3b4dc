import type { Clock } from '../../../platform/clock/clock.ts';

/** A call that the sandbox received. */
interface JournalEntry {
  readonly seq: number;
  readonly at: string;
  readonly collaborator: string;
  readonly operation: string;
  readonly method: string;
  /** The path with the query, without credentials. */
  readonly path: string;
  readonly idempotencyKey?: string;
  readonly body: unknown;
  /** The status of the response. It is null while the work runs, and if no work was done. */
  readonly status: number | null;
  readonly response: unknown;
  readonly fault?: string;
}

type Received = Omit<JournalEntry, 'seq' | 'at' | 'status' | 'response'>;

interface JournalFilter {
  readonly collaborator?: string | undefined;
  readonly operation?: string | undefined;
  /** Only entries with a higher `seq`. */
  readonly after?: number | undefined;
}

export interface Journal {
  /** Records a call on arrival. Returns its `seq` for `complete`. */
  open(received: Received): number;
  complete(seq: number, status: number, response: unknown): void;
  list(filter?: JournalFilter): readonly JournalEntry[];
  /** Lists the newest `count` entries, newest first. */
  newest(count: number): readonly JournalEntry[];
  clear(): void;
}

/** Creates the journal, which keeps every received call in order of arrival. */
export const createJournal = (clock: Clock): Journal => {
  let entries: JournalEntry[] = [];
  let first = 1;
  return {
    open(received) {
      const seq = first + entries.length;
      const at = clock.now().toISOString();
      entries.push({ seq, at, ...received, status: null, response: null });
      return seq;
    },
    complete(seq, status, response) {
      const entry = entries[seq - first];
      // The journal may have been cleared while the call was in progress.
      if (entry !== undefined) entries[seq - first] = { ...entry, status, response };
    },
    list: ({ collaborator, operation, after = 0 } = {}) =>
      entries.filter(
        (entry) =>
          entry.seq > after &&
          (collaborator === undefined || entry.collaborator === collaborator) &&
          (operation === undefined || entry.operation === operation),
      ),
    newest: (count) => entries.slice(-count).toReversed(),
    clear() {
      first += entries.length;
      entries = [];
    },
  };
};
