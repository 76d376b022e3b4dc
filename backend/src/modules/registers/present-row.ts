import {
  formatGrams,
  formatRupees,
  gramsFromDatabase,
  paise,
  toCellNumber,
} from '../../money/index.ts';
import { asGrams, asInteger } from './period-figures.ts';
import type { Column, ColumnKind, Register, RowValues } from './registers.types.ts';

/**
 * Shows the first letter of each word of a name, which identifies the person only to those who know
 * them (contract: accounting > Registers).
 */
export const maskName = (name: string): string =>
  [...name.matchAll(/(?<!\S)\S/gu)].map(([letter]) => `${letter}***`).join(' ');

const jsonOf = (kind: ColumnKind, value: string): string | number => {
  if (kind === 'money' || kind === 'count') return asInteger(value);
  if (kind === 'grams') return asGrams(value);
  return kind === 'name' ? maskName(value) : value;
};

/** Presents a row as JSON. Paise are integers and grams are texts. */
export const presentRow = (
  columns: readonly Column[],
  values: RowValues,
): Readonly<Record<string, string | number | null>> =>
  Object.fromEntries(
    columns.map(({ name, kind }, index) => {
      const value = values[index] ?? null;
      return [name, value === null ? null : jsonOf(kind, value)];
    }),
  );

/** Presents the sums of a row of totals. The row begins with the count. */
export const presentTotals = (
  { columns }: Register,
  values: RowValues,
): Readonly<Record<string, string | number | null>> =>
  presentRow(
    columns.filter(({ isSummed }) => isSummed),
    values.slice(1),
  );

/** Returns the names of a file's columns. Money is in rupees there, so its names end in `Inr`. */
export const headersOf = (columns: readonly Pick<Column, 'name' | 'kind'>[]): string[] =>
  columns.map(({ name, kind }) => (kind === 'money' ? name.replace(/Paise$/u, 'Inr') : name));

const decimalOf = (kind: ColumnKind, value: string): string => {
  if (kind === 'money') return formatRupees(paise(BigInt(value)));
  return kind === 'grams' ? formatGrams(gramsFromDatabase(value)) : value;
};

/** Returns the cells of a row of a spreadsheet. A figure is a number if that keeps all its digits. */
export const sheetCells = (
  columns: readonly Pick<Column, 'kind'>[],
  values: RowValues,
): (string | number | null)[] =>
  columns.map(({ kind }, index) => {
    const value = values[index] ?? null;
    if (value === null) return null;
    if (kind === 'name') return maskName(value);
    const isFigure = kind === 'money' || kind === 'grams' || kind === 'count';
    return isFigure ? toCellNumber(decimalOf(kind, value)) : value;
  });

/** Returns a record of a CSV file. The columns must be figures, dates and times, not texts. */
export const csvRecord = (columns: readonly Pick<Column, 'kind'>[], values: RowValues): string => {
  const cells = columns.map(({ kind }, index) => {
    const value = values[index] ?? null;
    return value === null ? '' : decimalOf(kind, value);
  });
  return `${cells.join(',')}\r\n`;
};
