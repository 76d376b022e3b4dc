import type { Db } from './database.ts';
import { joinSql, selectOne, sql, sqlName, type Sql } from './sql.ts';

/**
 * Reads at most one row, separately or with other reads in one statement. With others its row comes
 * as JSON, so `query` casts every type except text, whole number, boolean and JSON to text.
 */
export interface Read<Value> {
  readonly query: Sql;
  /** Makes the value of the row, of which there may be none. */
  readonly parse: (row: unknown) => Value;
}

/** Reads that share a statement, by name. */
export type Reads = Readonly<Record<string, Read<unknown>>>;

/** The values of reads, by the same names. */
export type ReadValues<Together extends Reads> = {
  readonly [Name in keyof Together]: Together[Name] extends Read<infer Value> ? Value : never;
};

/** Declares a read. `parse` states the row that the query's column list returns. */
export const readOf = <Value>(query: Sql, parse: (row: never) => Value): Read<Value> => ({
  query,
  parse: (row) => parse((row ?? undefined) as never),
});

/** Reads it in a separate statement. */
export const readAlone = async <Value>(db: Db, { query, parse }: Read<Value>): Promise<Value> =>
  parse(await selectOne(db, query));

const nameAt = (at: number): string => `read_${at}`;

const columnsOf = (reads: Reads): Sql[] =>
  Object.values(reads).map(
    ({ query }, at) =>
      sql`(SELECT to_jsonb(whole_row) FROM (${query}) AS whole_row) AS ${sqlName(nameAt(at))}`,
  );

const valuesOf = <Together extends Reads>(
  reads: Together,
  row: Readonly<Record<string, unknown>> | undefined,
): ReadValues<Together> => {
  const entries = Object.entries(reads).map(
    ([name, { parse }], at) => [name, parse(row?.[nameAt(at)])] as const,
  );
  return Object.fromEntries(entries) as ReadValues<Together>;
};

/**
 * Reads several things in one statement, which is a single round trip, at a single moment for all
 * of them. Use a separate statement for what must be read after a lock: a statement that waits for
 * a row still sees all others as they were when it began.
 */
export const readTogether = async <Together extends Reads>(
  db: Db,
  reads: Together,
): Promise<ReadValues<Together>> =>
  valuesOf(reads, await selectOne(db, sql`SELECT ${joinSql(columnsOf(reads))}`));

/**
 * A part of a statement. It is a write with `RETURNING`, under the name by which others read its
 * rows.
 */
export interface Part {
  readonly name: string;
  readonly write: Sql;
}

/**
 * Writes what belongs together in one statement, which has the rows of its parts as tables. All of
 * it happens, or nothing does. Each part sees the tables as they were before the statement, and the
 * rows of another part only by its name.
 */
export const writeTogether = async <Row>(
  db: Db,
  parts: readonly Part[],
  select: Sql,
): Promise<Row | undefined> => {
  const named = parts.map(({ name, write }) => sql`${sqlName(name)} AS (${write})`);
  return selectOne<Row>(db, sql`WITH ${joinSql(named)} ${select}`);
};

/**
 * Writes, and in the same statement reads other tables as they were before the write. `write`
 * returns its rows (`RETURNING`). `isWritten` is false without any.
 */
export const writeAndRead = async <Together extends Reads>(
  db: Db,
  write: Sql,
  reads: Together,
): Promise<{ readonly isWritten: boolean; readonly values: ReadValues<Together> }> => {
  const columns = [sql`EXISTS (SELECT FROM written) AS is_written`, ...columnsOf(reads)];
  const row = await selectOne<Record<string, unknown>>(
    db,
    sql`WITH written AS (${write}) SELECT ${joinSql(columns)}`,
  );
  return { isWritten: row?.['is_written'] === true, values: valuesOf(reads, row) };
};
