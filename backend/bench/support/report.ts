import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '../../src/platform/clock/clock.ts';

type Cell = number | string;

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Report {
  /** Lines that explain the measurements and their method. */
  readonly how: readonly string[];
  readonly tables: readonly Table[];
  /** The single measurements behind the tables. */
  readonly samples: unknown;
}

const significant = (value: number): string => {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size >= 10) return String(value);
  if (size >= 100) return value.toFixed(0);
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
};

const textOf = (cell: Cell): string => (typeof cell === 'number' ? significant(cell) : cell);

const printTable = ({ title, columns, rows }: Table): string => {
  const lines = [columns, ...rows].map((row) => row.map(textOf));
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const printed = lines.map((line) =>
    line
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  return [`  ${title}`, ...printed.map((line) => `    ${line}`)].join('\n');
};

/** Formats a report for people. */
export const printReport = (name: string, { how, tables }: Report): string =>
  [`\n${name}`, ...how.map((line) => `  ${line}`), ...tables.map(printTable)].join('\n');

/** Writes a report as JSON into `folder`. Returns the file's path. */
export const writeReport = (folder: string, name: string, report: Report): string => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  const machine = { cores: cpus().length, model: cpus()[0]?.model, node: process.version };
  const at = createSystemClock().now().toISOString();
  writeFileSync(file, `${JSON.stringify({ name, at, machine, ...report }, undefined, 2)}\n`);
  return file;
};
