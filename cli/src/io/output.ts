import Table from 'cli-table3';
import type { CliDeps } from '../cli-deps.ts';
import type { OutputForm } from './output-forms.ts';
import { inWords } from './headings.ts';
import { screen } from './screen.ts';
import { showable } from './showable.ts';

/** The version of the JSON output. A member is removed or changed only with a new version. */
export const apiVersion = 'goldctl/v1';

/** A result in two forms. `data` is for JSON, and `text` is for people, without a final newline. */
interface Result {
  readonly data: object;
  readonly text: string;
}

/** Writes a command's result to standard output, in the requested format. */
export const printResult = (deps: CliDeps, form: OutputForm, result: Result): void => {
  const data = { apiVersion, ...result.data };
  const text = form === 'json' ? JSON.stringify(data, undefined, 2) : result.text;
  deps.stdout(`${text}\n`);
};

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

type Row = readonly string[];

const gap = 2;
/** The minimum width of a wrapped column, since a narrower column can't be read. */
const minWidth = 12;

const lengthOf = (text: string): number => Array.from(text).length;

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);

/** Returns true for a column of words. An id or an amount must not be wrapped. */
const mayWrap = (rows: readonly Row[], column: number): boolean =>
  rows.some((row) => /\S \S/u.test(row[column] ?? ''));

/** Returns the widths at which a table fits, or undefined if it does not fit even with wrapping. */
const fittingWidths = (
  head: Row,
  rows: readonly Row[],
  columns: number,
): readonly number[] | undefined => {
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((row) => lengthOf(row[column] ?? ''))),
  );
  for (;;) {
    const excess = totalWidth(widths) - columns;
    if (excess <= 0) return widths;
    const [widest, next] = widths
      .map((width, column) => ({ width, column }))
      .filter(({ width, column }) => width > minWidth && mayWrap(rows, column))
      .toSorted((a, b) => b.width - a.width);
    if (widest === undefined) return undefined;
    const reduction = Math.min(excess, Math.max(1, widest.width - (next?.width ?? minWidth)));
    widths[widest.column] = Math.max(minWidth, widest.width - reduction);
  }
};

/** Renders each row as lines of pairs, for a terminal that is too narrow for the table. */
const renderRecords = (head: Row, rows: readonly Row[]): string =>
  rows
    .map((row) =>
      renderPairs(head.map((name, column) => [name.toLowerCase(), row[column] ?? ''] as const)),
    )
    .join('\n\n');

/**
 * Renders rows below their column names, without borders. On a narrow terminal words are wrapped. If
 * that is not enough, each row is rendered as lines of pairs.
 */
export const renderTable = (columns: Row, rows: readonly Row[]): string => {
  const head = columns.map((name) => inWords(name).toUpperCase());
  const shown = rows.map((row) => row.map(showable));
  const widths =
    screen.columns === undefined ? undefined : fittingWidths(head, shown, screen.columns);
  if (screen.columns !== undefined && widths === undefined && rows.length > 0) {
    return renderRecords(head, shown);
  }
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
  const table = new Table({
    head,
    chars: noBorders,
    style,
    ...(widths !== undefined && { colWidths: [...widths], wordWrap: true }),
  });
  table.push(...shown.map((row) => [...row]));
  return trimLines(table.toString());
};

const indent = '  ';

/** Splits a text into lines between its words. A word is never split. */
const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || lengthOf(last) + 1 + lengthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** Renders a pair. A value that does not fit next to its name is printed below the name. */
const renderPair = (name: string, value: string, width: number): string => {
  const line = `${name.padEnd(width)}${indent}${value}`.trimEnd();
  const { columns } = screen;
  if (columns === undefined || lengthOf(line) <= columns) return line;
  const lines = wrap(value, columns - indent.length).map((part) => `${indent}${part}`);
  return [name, ...lines].join('\n');
};

/** Renders each name with its value as one line, with the values aligned. */
export const renderPairs = (pairs: readonly (readonly [string, string])[]): string => {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => renderPair(name, showable(value), width)).join('\n');
};

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
