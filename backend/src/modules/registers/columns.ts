import { noSql, sql, type Sql } from '../../platform/db/index.ts';
import type { Column, ColumnKind } from './registers.types.ts';

const create =
  (kind: ColumnKind, isSummed = false) =>
  (name: string, value: Sql): Column => ({ name, kind, value, isSummed });

export const text = create('text');
export const personName = create('name');
/** Creates a column of the IST date of a moment. */
export const date = create('date');
export const time = create('time');
export const price = create('money');
export const money = create('money', true);
export const grams = create('grams', true);
export const count = create('count');

/** Selects a value as text, so that no conversion of the driver can change a figure. */
export const textOf = ({ kind, value }: Column): Sql => {
  if (kind === 'date') {
    return sql`to_char(${value} AT TIME ZONE 'UTC' + interval '330 minutes', 'YYYY-MM-DD')`;
  }
  if (kind === 'time') {
    return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  }
  return sql`(${value})::text`;
};

/**
 * Selects the distinct values of a column by reading a few entries of an index. `column` must be the
 * first column of the index and have few values. With them, a search for the second column of the
 * index needs no further index.
 */
export const valuesOf = (table: Sql, column: Sql): Sql => sql`
  (WITH RECURSIVE known AS (
    (SELECT ${column} AS value FROM ${table} ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM ${table} WHERE ${column} > known.value ORDER BY ${column} LIMIT 1)
    FROM known WHERE known.value IS NOT NULL)
  SELECT value FROM known)`;

export const noJoins = (): Sql => noSql;

/**
 * Puts an apostrophe before a text that a spreadsheet would take for a formula. Such a text begins
 * with a tab, a carriage return, `+`, `-`, `=`, `@` or the full-width form of one of these four. An
 * empty text becomes null, so that its field is empty and not quoted.
 */
const escapeFormula = (value: Sql): Sql => sql`
  CASE WHEN ascii(${value}) IN (9, 13, 43, 45, 61, 64, 65291, 65293, 65309, 65312)
    THEN '''' || ${value} ELSE nullif(${value}, '') END`;

/**
 * Masks a name as `maskName` does. The spaces between words are listed, because the server's class of
 * spaces depends on its locale.
 */
const maskSql = (name: Sql): Sql => sql`
  CASE WHEN ${name} ~
      '[^\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a'
      '\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'
    THEN rtrim(regexp_replace(${name},
      '[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*'
      '([^\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff])'
      '[^\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*'
      '[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*',
      '\\1*** ', 'g')) END`;

/** Selects a value as the cell of a CSV file. Figures are numbers, and no text is a formula. */
export const csvTextOf = (column: Column): Sql => {
  const { kind, value } = column;
  // The product of an integer and 0.01 always has two decimals.
  if (kind === 'money') return sql`((${value}) * 0.01)::text`;
  if (kind === 'grams') return sql`round(${value}, greatest(4, min_scale(${value})))::text`;
  if (kind === 'text') return escapeFormula(sql`(${value})::text`);
  if (kind === 'name') {
    // OFFSET 0 makes the server mask a name once, and not for each use of it.
    const person = sql`(SELECT ${maskSql(value)} OFFSET 0) AS person (name)`;
    return sql`(SELECT ${escapeFormula(sql`person.name`)} FROM ${person})`;
  }
  return textOf(column);
};
