import { noSql, sql, type Sql } from '../../platform/db/index.ts';
import type { Column, ColumnKind } from './registers.types.ts';

const create =
  (kind: ColumnKind, isSummed = false) =>
  (name: string, value: Sql): Column => ({ name, kind, value, isSummed });

export const text = create('text');
export const personName = create('name');
/** An IST date, from a moment. */
export const date = create('date');
export const time = create('time');
export const price = create('money');
export const money = create('money', true);
export const grams = create('grams', true);
export const count = create('count');

/** Writes a value as text, so that no driver's types come between the database and the figures. */
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
 * Lists the few values of a column that leads an index, by the index alone: with them a search for
 * the index's second column needs no index of its own.
 */
export const valuesOf = (table: Sql, column: Sql): Sql => sql`
  (WITH RECURSIVE known AS (
    (SELECT ${column} AS value FROM ${table} ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM ${table} WHERE ${column} > known.value ORDER BY ${column} LIMIT 1)
    FROM known WHERE known.value IS NOT NULL)
  SELECT value FROM known)`;

/** No joins. */
export const nothing = (): Sql => noSql;

/**
 * Puts an apostrophe before a text that a spreadsheet would take for a formula: by its first
 * character, which is a tab, a carriage return, `+`, `-`, `=`, `@` or the full-width form of one.
 * An empty text is an empty field, as a missing one is.
 */
const guarded = (value: Sql): Sql => sql`
  CASE WHEN ascii(${value}) IN (9, 13, 43, 45, 61, 64, 65291, 65293, 65309, 65312)
    THEN '''' || ${value} ELSE nullif(${value}, '') END`;

/**
 * Masks a name as `maskName` does. What parts words is spelled out, since a server's own idea of it
 * follows its locale, and a word that was missed would be a letter too few and never one too many.
 */
const masked = (name: Sql): Sql => sql`
  CASE WHEN ${name} ~
      '[^\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a'
      '\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'
    THEN rtrim(regexp_replace(${name},
      '[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*'
      '([^\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff])'
      '[^\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*'
      '[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*',
      '\\1*** ', 'g')) END`;

/** Writes a value as the cell of a CSV file: figures are numbers, texts never formulas. */
export const csvTextOf = (column: Column): Sql => {
  const { kind, value } = column;
  // The product has two decimals, always: those of the factor.
  if (kind === 'money') return sql`((${value}) * 0.01)::text`;
  if (kind === 'grams') return sql`round(${value}, greatest(4, min_scale(${value})))::text`;
  if (kind === 'text') return guarded(sql`(${value})::text`);
  // Masked once, and not once for each look at it.
  if (kind === 'name') {
    const text = sql`person.name`;
    return sql`(SELECT ${guarded(text)} FROM (SELECT ${masked(value)} OFFSET 0) AS person (name))`;
  }
  return textOf(column);
};
