import { Client, type ClientConfig } from 'pg';
import Cursor from 'pg-cursor';
import { copyCsv, longestStreamMs, type Statement } from './copy-csv.ts';

/** Every value of a row as the database writes it. */
export type TextRow = readonly (string | null)[];

/** The database as it was at one moment, on a connection of its own. */
export interface Snapshot {
  /** Returns the first row of a query; undefined when there is none. */
  first(query: Statement): Promise<TextRow | undefined>;
  /** Reads a query's rows as they are taken, `size` at a time. */
  batches(query: Statement, size: number): AsyncGenerator<TextRow[]>;
  /** Reads a query's rows as the records of a CSV file, without a header, as they are taken. */
  csv(query: Statement): AsyncGenerator<Buffer>;
}

/**
 * Runs `work` on a snapshot that only reads. The connection is its own, so that a long read takes
 * none of the pool's, and it is closed when `signal` aborts: the server then ends what it is doing.
 */
export type ReadSnapshot = <T>(
  work: (snapshot: Snapshot) => Promise<T>,
  signal: AbortSignal,
) => Promise<T>;

const asText = { getTypeParser: () => (value: string) => value };

const configOf = (url: string, applicationName: string): ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: 5000,
  // A reader that stalls is cut off earlier than this.
  idle_in_transaction_session_timeout: 60_000,
  statement_timeout: 120_000,
  // The server looks whether somebody is still there while it works; compiling a plan to machine
  // code would take longer than what is first read by it.
  options: '-c TimeZone=UTC -c client_connection_check_interval=1000 -c jit=off',
});

/** Creates the reader of snapshots of the database at `url`. */
export const createReadSnapshot =
  ({
    url,
    applicationName,
  }: {
    readonly url: string;
    readonly applicationName: string;
  }): ReadSnapshot =>
  async (work, signal) => {
    signal.throwIfAborted();
    const client = new Client(configOf(url, applicationName));
    // What is lost is told by the statement that waits for it.
    client.on('error', () => {});
    const close = (): void => void client.end().catch(() => {});
    signal.addEventListener('abort', close, { once: true });
    try {
      await client.connect();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return await work({
        async first({ text, values }) {
          const query = { text, values, rowMode: 'array', types: asText } as const;
          const { rows } = await client.query<(string | null)[]>(query);
          return rows[0];
        },
        async *batches({ text, values }, size) {
          const config = { rowMode: 'array', types: asText } as const;
          // The server counts a statement's time from its first row to its last, pauses included.
          await client.query(`SET LOCAL statement_timeout = ${longestStreamMs}`);
          const cursor = client.query(new Cursor<(string | null)[]>(text, values, config));
          for (;;) {
            const rows = await cursor.read(size);
            if (rows.length > 0) yield rows;
            if (rows.length < size) return;
          }
        },
        csv: (query) => copyCsv(client, query),
      });
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  };
