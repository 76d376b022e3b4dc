import { sql, type Sql } from '../../platform/db/index.ts';
import { textOf } from './columns.ts';
import type { Column } from './registers.types.ts';

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
