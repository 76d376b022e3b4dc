import { joinSql, noSql, sql, sqlName, type Sql } from '../../platform/db/index.ts';
import { textOf, csvTextOf } from './columns.ts';
import { isWithin } from './period-figures.ts';
import type { Column, Register, RegisterFilter } from './registers.types.ts';

const conditionOf = (register: Register, filter: RegisterFilter): Sql => {
  const { condition, moment, isOfStatus, isFoundBy } = register;
  const { status, q } = filter;
  return joinSql(
    [
      condition ?? sql`true`,
      ...(moment === undefined ? [] : [isWithin(moment, filter)]),
      ...(status === undefined ? [] : [isOfStatus(status, filter)]),
      ...(q === undefined ? [] : [isFoundBy(q)]),
    ],
    ' AND ',
  );
};

const orderOf = ({ moment, key }: Register): Sql =>
  moment === undefined ? sql`ORDER BY ${key} DESC` : sql`ORDER BY ${moment} DESC, ${key} DESC`;

const listOf = (values: readonly Sql[]): Sql =>
  joinSql(values.map((value, index) => sql`${value} AS ${sqlName(`c${index}`)}`));

const selectSql = (
  register: Register,
  filter: RegisterFilter,
  toCell: (column: Column) => Sql,
  limitSql = noSql,
): Sql => {
  const [table, alias] = [sqlName(register.table), sqlName(register.alias)];
  return sql`
    SELECT ${listOf(register.columns.map(toCell))}
    FROM (
      SELECT ${alias}.* FROM ${table} ${alias}
      WHERE ${conditionOf(register, filter)} ${orderOf(register)} ${limitSql}) AS ${alias}
    ${register.figures(filter)} ${register.lookups}
    ${orderOf(register)}`;
};

/**
 * Selects rows, newest first. Each value is a text, with the names `c0`, `c1`, … in the order of the
 * columns. A page is limited before the joins, so that only its rows are joined.
 */
export const rowsSql = (
  register: Register,
  filter: RegisterFilter,
  page?: { readonly limit: number; readonly offset: number },
): Sql => {
  const { limit, offset } = page ?? {};
  const limitSql = limit === undefined ? noSql : sql`LIMIT ${limit}::int OFFSET ${offset}::int`;
  return selectSql(register, filter, textOf, limitSql);
};

/** Selects all rows that match a filter, as the cells of a CSV file. */
export const csvSql = (register: Register, filter: RegisterFilter): Sql =>
  selectSql(register, filter, csvTextOf);

/** Selects the number of rows that match a filter as `c0`, then the sum of each summed column. */
export const totalsSql = (register: Register, filter: RegisterFilter): Sql => {
  const sums = register.columns
    .filter(({ isSummed }) => isSummed)
    .map(({ value }) => sql`coalesce(sum(${value}), 0)::text`);
  return sql`
    SELECT ${listOf([sql`count(*)::text`, ...sums])}
    FROM ${sqlName(register.table)} ${sqlName(register.alias)} ${register.figures(filter)}
    WHERE ${conditionOf(register, filter)}`;
};
