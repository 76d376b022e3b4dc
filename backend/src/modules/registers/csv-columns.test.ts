import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { sql } from '../../platform/db/index.ts';
import { grams, money, personName, text, csvTextOf } from './columns.ts';
import { maskName } from './present-row.ts';

const database = databaseOfFile(1);

interface Row {
  readonly text: string | null;
  readonly name: string | null;
  readonly paise: string;
  /** Hundred-millionths. */
  readonly weight: string;
}

const decimal = (digits: string, decimals: number): string => {
  const bare = digits.replace('-', '').padStart(decimals + 1, '0');
  const sign = digits.startsWith('-') ? '-' : '';
  return `${sign}${bare.slice(0, -decimals)}.${bare.slice(-decimals)}`;
};

/* A writer of its own, as the contract says it (accounting > Files). */
const field = (value: string): string =>
  /[",\r\n]/u.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
const guarded = (value: string): string =>
  /^[=+\-@\t\r＝＋－＠]/u.test(value) ? `'${value}` : value;
const recordOf = ({ text: plain, name, paise, weight }: Row): string => {
  const shown = [
    guarded(plain ?? ''),
    guarded(name === null ? '' : maskName(name)),
    decimal(paise, 2),
    decimal(weight, 8).replace(/(\.\d{4}\d*?)0+$/u, '$1'),
  ];
  return `${shown.map(field).join(',')}\r\n`;
};

const copied = (rows: readonly Row[]): Promise<string> =>
  database().readSnapshot(async (snapshot) => {
    const columns = [
      text('text', sql`row->>'text'`),
      personName('name', sql`row->>'name'`),
      money('paise', sql`(row->>'paise')::bigint`),
      grams('grams', sql`(row->>'weight')::numeric * 0.00000001`),
    ];
    const [a, b, c, d] = columns.map(csvTextOf);
    const pieces = snapshot.csv(sql`
      SELECT ${a}, ${b}, ${c}, ${d}
      FROM json_array_elements(${JSON.stringify(rows)}::json) WITH ORDINALITY AS given (row, at)
      ORDER BY at`);
    const read: Buffer[] = [];
    for await (const piece of pieces) read.push(piece);
    return Buffer.concat(read).toString('utf8');
  }, new AbortController().signal);

const piece = fc.oneof(
  fc.constantFrom(
    '=1+1',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '"',
    '""',
    ',',
    "'",
    '\\',
    '\\.',
    ';',
    ' ',

    '＝',
    '＋',
    '－',
    '＠',
    'अशा',
    '😀',
    '\u0301',
    '\u00a0',
    '\u2003',
    '\u2028',
    '\u3000',
    '\ufeff',

    '-12',
    '$1',
    '%s',
    'NULL',
    '\\N',
    '\u0085',
    '\u200b',
    'é',
    '\u001f',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }).map((any) => any.replaceAll('\0', '')),
);
const hostile = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
const anyRow: fc.Arbitrary<Row> = fc.record({
  text: fc.option(hostile),
  name: fc.option(hostile),
  paise: fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map(String),
  weight: fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }).map(String),
});

it('the CSV writer writes any text as an independent writer does, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { maxLength: 60 }), async (rows) => {
      expect(await copied(rows)).toBe(rows.map(recordOf).join(''));
    }),
    { numRuns: 60 },
  );
});

it('the CSV writer keeps quoted line feeds even if a piece of the file ends within them', async () => {
  const long = `${'a"\n'.repeat(40_000)}\n`;
  const rows = Array.from({ length: 5 }, () => ({
    text: long,
    name: null,
    paise: '0',
    weight: '0',
  }));
  // The matcher would need minutes to show a difference of megabytes.
  expect((await copied(rows)) === rows.map(recordOf).join('')).toBe(true);
});
