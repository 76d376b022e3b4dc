import Table from 'cli-table3';
import type { CliDeps } from '../cli-deps.ts';

export const outputForms = ['table', 'json'] as const;
type OutputForm = (typeof outputForms)[number];

/** A result in its two forms: `data` as JSON, `text` for people (no newline at its end). */
interface Result {
  readonly data: unknown;
  readonly text: string;
}

/** Writes a command's result to standard output, in the form that was asked for. */
export const printResult = (deps: CliDeps, form: OutputForm, result: Result): void => {
  const text = form === 'json' ? JSON.stringify(result.data, undefined, 2) : result.text;
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

/** A terminal obeys these instead of showing them, and a value may come from outside. */
const controlCharacters = /\p{Cc}/gu;

/** Replaces control characters with a visible mark. */
export const showable = (text: string): string => text.replaceAll(controlCharacters, '\u{fffd}');

/** Renders rows below their column names, without lines or colours. */
export const renderTable = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
  const table = new Table({
    head: columns.map((name) => name.toUpperCase()),
    chars: noBorders,
    style,
  });
  table.push(...rows.map((row) => row.map(showable)));
  return trimLines(table.toString());
};

/** Renders names and values, one pair a line, the values aligned. */
export const renderPairs = (pairs: readonly (readonly [string, string])[]): string => {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs
    .map(([name, value]) => `${name.padEnd(width)}  ${showable(value)}`.trimEnd())
    .join('\n');
};

const trimLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
