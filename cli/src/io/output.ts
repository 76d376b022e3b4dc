import Table from 'cli-table3';
import type { CliDeps } from '../cli-deps.ts';
import type { OutputForm } from './output-forms.ts';
import { inWords } from './headings.ts';
import { screen } from './screen.ts';
import { showable } from './showable.ts';

/** The version of the JSON's form: a member that scripts read goes or changes with a new one. */
export const apiVersion = 'goldctl/v1';

/** A result in its two forms: `data` as JSON, `text` for people (no newline at its end). */
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
/** Narrower than this a column of words can't be read. */
const leastWidth = 12;

const lengthOf = (text: string): number => Array.from(text).length;

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);

/** Only words can be wrapped: half an id or an amount is none. */
const mayWrap = (rows: readonly Row[], at: number): boolean =>
  rows.some((row) => /\S \S/u.test(row[at] ?? ''));

/** Returns the widths at which a table fits, or undefined where no wrapping makes it fit. */
const fittingWidths = (
  head: Row,
  rows: readonly Row[],
  columns: number,
): readonly number[] | undefined => {
  const lines = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...lines.map((row) => lengthOf(row[at] ?? ''))));
  for (;;) {
    const over = total(widths) - columns;
    if (over <= 0) return widths;
    const wide = widths
      .map((width, at) => ({ width, at }))
      .filter(({ width, at }) => width > leastWidth && mayWrap(rows, at))
      .toSorted((a, b) => b.width - a.width);
    const [widest, next] = wide;
    if (widest === undefined) return undefined;
    const down = Math.min(over, Math.max(1, widest.width - (next?.width ?? leastWidth)));
    widths[widest.at] = Math.max(leastWidth, widest.width - down);
  }
};

/** Shows each row as pairs below each other, for a terminal that is too narrow for the table. */
const asRecords = (head: Row, rows: readonly Row[]): string =>
  rows
    .map((row) => renderPairs(head.map((name, at) => [name.toLowerCase(), row[at] ?? ''] as const)))
    .join('\n\n');

/**
 * Renders rows below their column names, without lines. On a terminal too narrow for them words
 * are wrapped, or else each row becomes a record.
 */
export const renderTable = (columns: Row, rows: readonly Row[]): string => {
  const head = columns.map((name) => inWords(name).toUpperCase());
  const shown = rows.map((row) => row.map(showable));
  const widths =
    screen.columns === undefined ? undefined : fittingWidths(head, shown, screen.columns);
  if (screen.columns !== undefined && widths === undefined && rows.length > 0) {
    return asRecords(head, shown);
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

/** Breaks a text into lines between its words. A word longer than a line stays whole. */
const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || lengthOf(last) + 1 + lengthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

/** A value that does not fit next to its name is printed below it. */
const pairOf = (name: string, value: string, width: number): string => {
  const line = `${name.padEnd(width)}${indent}${value}`.trimEnd();
  const { columns } = screen;
  if (columns === undefined || lengthOf(line) <= columns) return line;
  return [name, ...wrapped(value, columns - indent.length).map((part) => `${indent}${part}`)].join(
    '\n',
  );
};

/** Renders names and values, one pair a line, the values aligned. */
export const renderPairs = (pairs: readonly (readonly [string, string])[]): string => {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => pairOf(name, showable(value), width)).join('\n');
};

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
