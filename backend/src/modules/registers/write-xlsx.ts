import { headersOf, sheetCells } from './present-row.ts';
import type { Column, ColumnKind, RowValues } from './registers.types.ts';

const formats: Readonly<Partial<Record<ColumnKind, string>>> = {
  money: '0.00',
  grams: '0.0000####',
  count: '0',
};

async function* cellsOf(
  columns: readonly Column[],
  batches: AsyncIterable<readonly RowValues[]>,
): AsyncGenerator<(string | number | null)[]> {
  for await (const rows of batches) for (const row of rows) yield sheetCells(columns, row);
}

/**
 * Turns batches of rows into the pieces of a spreadsheet. Texts are texts there, whatever they
 * begin with. There is one sheet: whoever calls has seen to it that the rows fit.
 */
export async function* writeXlsx(
  name: string,
  columns: readonly Column[],
  batches: AsyncIterable<readonly RowValues[]>,
): AsyncGenerator<Uint8Array> {
  // Loaded by the first spreadsheet: most processes never write one.
  const { writeXlsxStream } = await import('hucre/xlsx');
  yield* writeXlsxStream(cellsOf(columns, batches), {
    name,
    columns: headersOf(columns).map((header, at) => {
      const format = formats[columns[at]?.kind ?? 'text'];
      return { header, ...(format !== undefined && { numFmt: format }) };
    }),
    freezePane: { rows: 1 },
  });
}
