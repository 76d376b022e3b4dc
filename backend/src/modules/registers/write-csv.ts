import { stringify } from 'csv-stringify/sync';
import { formatRupees, paise } from '../../money/index.ts';
import { csvCells, headersOf } from './present-row.ts';
import type { Column, RowValues } from './registers.types.ts';

/**
 * Writes records as RFC 4180 says, each ended by CRLF. A text that a spreadsheet would take for a
 * formula gets an apostrophe before it; a negative amount stays a number.
 */
const records = (rows: (readonly (string | bigint | null)[])[]): string =>
  stringify(rows, {
    record_delimiter: '\r\n',
    escape_formulas: true,
    cast: { bigint: (amount) => formatRupees(paise(amount)) },
  });

/** Turns batches of rows into the pieces of a CSV file, its header first. */
export async function* writeCsv(
  columns: readonly Column[],
  batches: AsyncIterable<readonly RowValues[]>,
): AsyncGenerator<string> {
  yield records([headersOf(columns)]);
  for await (const rows of batches) yield records(rows.map((row) => csvCells(columns, row)));
}
