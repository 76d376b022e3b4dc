import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { invariant } from '../invariant/invariant.ts';

/** SQL with its values apart, as `sql` makes it. */
export interface Statement {
  readonly strings: readonly string[];
  readonly text: string;
  readonly values: unknown[];
}

/** A table that is read as it is taken is one statement: whoever asked for it cuts it off earlier. */
export const longestStreamMs = 20 * 60_000;

const asSetting = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  invariant(typeof value === 'string', 'a text or a time is copied by');
  return value;
};

const nameOf = (at: number): string => `copied_by.v${at}`;

/**
 * Hands the values of a query to the transaction as settings, and returns the query that reads them
 * there: `COPY` takes no parameters, and so none of them is ever a part of a statement's text.
 */
const withSettings = async (client: Client, { strings, values }: Statement): Promise<string> => {
  const settings = ['statement_timeout', ...values.map((_, at) => nameOf(at))];
  await client.query(
    `SELECT ${settings.map((name, at) => `set_config('${name}', $${at + 1}, true)`).join(', ')}`,
    [String(longestStreamMs), ...values.map(asSetting)],
  );
  return strings.reduce((text, part, at) => `${text}current_setting('${nameOf(at - 1)}')${part}`);
};

/**
 * Creates the writer of RFC 4180's line ends: the server ends a record with a line feed alone. It
 * leaves those between quotes, which belong to a value; a quote inside a value is doubled, and so
 * opens and closes again. Every byte is a character here, which no text of UTF-8 notices.
 */
const createCrlf = (): ((piece: Buffer) => Buffer) => {
  let isQuoted = false;
  return (piece) => {
    const parts = piece.toString('latin1').split('"');
    const ended = parts.map((part, at) =>
      isQuoted === (at % 2 === 1) ? part.replaceAll('\n', '\r\n') : part,
    );
    isQuoted = isQuoted !== (parts.length % 2 === 0);
    return Buffer.from(ended.join('"'), 'latin1');
  };
};

/**
 * Reads the rows of a query as the records of a CSV file that the server writes, each ended by
 * CRLF, as they are taken. A missing value is an empty field.
 */
export async function* copyCsv(client: Client, query: Statement): AsyncGenerator<Buffer> {
  const text = await withSettings(client, query);
  const stream = client.query(
    copyTo(`COPY (${text}) TO STDOUT WITH (FORMAT csv, ENCODING 'UTF8')`),
  );
  // A connection that is lost after the reader has left has nobody to tell.
  stream.on('error', () => {});
  const toCrlf = createCrlf();
  for await (const piece of stream) yield toCrlf(piece as Buffer); // of a stream of bytes
}
