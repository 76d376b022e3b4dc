import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import { invariant } from '../invariant/invariant.ts';
import type { Connections } from './connections.ts';
import { sessionOptions } from './session.ts';

/** SQL with its values apart, as `sql` makes it. */
interface Statement {
  readonly strings: readonly string[];
  readonly text: string;
  readonly values: unknown[];
}

/** The time limit of a statement that streams a table, in milliseconds. */
const longestStreamMs = 20 * 60_000;

const asSetting = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  invariant(typeof value === 'string', 'a value of a copied query is a text or a time');
  return value;
};

const nameOf = (index: number): string => `copied_by.v${index}`;

/**
 * Passes the values of a query to the transaction as settings, and returns the query that reads
 * these settings. `COPY` takes no parameters, and a value must never become part of a statement's
 * text.
 */
const withSettings = async (client: Client, { strings, values }: Statement): Promise<string> => {
  const settings = ['statement_timeout', ...values.map((_, index) => nameOf(index))];
  await client.query(
    `SELECT ${settings.map((name, index) => `set_config('${name}', $${index + 1}, true)`).join(', ')}`,
    [String(longestStreamMs), ...values.map(asSetting)],
  );
  return strings.reduce(
    (text, part, index) => `${text}current_setting('${nameOf(index - 1)}')${part}`,
  );
};

/**
 * Returns a function that ends each record with CRLF, as RFC 4180 requires, since the server ends a
 * record only with a line feed. Line feeds between quotes belong to a value and stay. A quote
 * inside a value is doubled, so that it ends the quoted text and begins it again. Each byte is
 * treated as a character, which is safe for UTF-8.
 */
const createCrlf = (): ((piece: Buffer) => Buffer) => {
  let isQuoted = false;
  return (piece) => {
    const parts = piece.toString('latin1').split('"');
    const ended = parts.map((part, index) =>
      isQuoted === (index % 2 === 1) ? part.replaceAll('\n', '\r\n') : part,
    );
    isQuoted = isQuoted !== (parts.length % 2 === 0);
    return Buffer.from(ended.join('"'), 'latin1');
  };
};

/**
 * Reads the rows of a query as the records of a CSV file that the server writes. Each record ends
 * with CRLF. The rows are read as the caller takes them. A missing value is an empty field.
 */
async function* copyCsv(client: Client, query: Statement): AsyncGenerator<Buffer> {
  const text = await withSettings(client, query);
  const stream = client.query(
    copyTo(`COPY (${text}) TO STDOUT WITH (FORMAT csv, ENCODING 'UTF8')`),
  );
  // After the reader has left, a lost connection needs no report.
  stream.on('error', () => {});
  const toCrlf = createCrlf();
  for await (const piece of stream) yield toCrlf(piece as Buffer); // the stream yields bytes
}

/** Every value of a row as the database writes it. */
type TextRow = readonly (string | null)[];

/** Reads the database as of a single moment, on a separate connection. */
export interface Snapshot {
  /** Returns the first row of a query, or undefined when there is none. */
  first(query: Statement): Promise<TextRow | undefined>;
  /** Reads a query's rows as they are taken, `size` at a time. */
  batches(query: Statement, size: number): AsyncGenerator<TextRow[]>;
  /** Reads a query's rows as the records of a CSV file, without a header, as they are taken. */
  csv(query: Statement): AsyncGenerator<Buffer>;
}

/**
 * Runs `work` on a snapshot that only reads. It has a separate connection, so that a long read
 * takes none of the pool's. The connection is closed when `signal` aborts, and the server then ends
 * its statement.
 */
export type ReadSnapshot = <T>(
  work: (snapshot: Snapshot) => Promise<T>,
  signal: AbortSignal,
) => Promise<T>;

const asText = { getTypeParser: () => (value: string) => value };

/**
 * The longest pause between two statements, in milliseconds. A reader that stalls is cut off
 * earlier.
 */
const idleMs = 60_000;
const answerMs = 120_000;

const openClient = (
  connections: Pick<Connections, 'createClient' | 'isPooled'>,
  applicationName: string,
): Client =>
  connections.createClient(applicationName, {
    ...(!connections.isPooled && {
      idle_in_transaction_session_timeout: idleMs,
      statement_timeout: answerMs,
      options: sessionOptions,
    }),
  });

/**
 * Sets all required settings again, for a pooler that drops startup parameters. The server checks
 * whether the client is still connected while it works. Compiling a plan to machine code would take
 * longer than the first rows.
 */
const begin = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL TimeZone = 'UTC';
  SET LOCAL DateStyle = 'ISO, MDY';
  SET LOCAL client_connection_check_interval = 1000;
  SET LOCAL jit = off;
  SET LOCAL statement_timeout = ${answerMs};
  SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;

/** Creates the reader of snapshots of a database. */
export const createReadSnapshot =
  ({
    connections,
    applicationName,
  }: {
    readonly connections: Pick<Connections, 'createClient' | 'isPooled'>;
    readonly applicationName: string;
  }): ReadSnapshot =>
  async (work, signal) => {
    signal.throwIfAborted();
    const client = openClient(connections, applicationName);
    // The waiting statement reports a lost connection.
    client.on('error', () => {});
    const close = (): void => void client.end().catch(() => {});
    signal.addEventListener('abort', close, { once: true });
    try {
      await client.connect();
      await client.query(begin);
      return await work({
        async first({ text, values }) {
          const bound = { query_timeout: answerMs + 5000 };
          const query = { text, values, rowMode: 'array', types: asText, ...bound } as const;
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
