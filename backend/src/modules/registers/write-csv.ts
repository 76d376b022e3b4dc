import { headersOf } from './present-row.ts';
import type { Column } from './registers.types.ts';

/** Puts the header, whose names need no quotes, before the records that the database writes. */
export async function* writeCsv(
  columns: readonly Column[],
  records: AsyncIterable<Buffer>,
): AsyncGenerator<string | Buffer> {
  yield `${headersOf(columns).join(',')}\r\n`;
  yield* records;
}
