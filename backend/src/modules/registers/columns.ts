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
