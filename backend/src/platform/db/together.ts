import type { Db } from './database.ts';
import { joinSql, selectOne, sql, sqlName, type Sql } from './sql.ts';

/**
 * Reads at most one row, separately or with other reads in one statement. With others its row comes
 * as JSON, so `query` casts every type except text, whole number, boolean and JSON to text.
 */
export interface Read<Value> {
  readonly query: Sql;
  /** Makes the value from the row, which is undefined if there is none. */
  readonly parse: (row: unknown) => Value;
}

/** Reads that share a statement, by name. */
export type Reads = Readonly<Record<string, Read<unknown>>>;

/** The values of reads, by the same names. */
export type ReadValues<Group extends Reads> = {
  readonly [Name in keyof Group]: Group[Name] extends Read<infer Value> ? Value : never;
};

/** Declares a read. `parse` states the row that the query's column list returns. */
export const readOf = <Value>(query: Sql, parse: (row: never) => Value): Read<Value> => ({
  query,
  parse: (row) => parse((row ?? undefined) as never),
});

/** Runs a read in a separate statement. */
export const readAlone = async <Value>(db: Db, { query, parse }: Read<Value>): Promise<Value> =>
  parse(await selectOne(db, query));

const nameAt = (index: number): string => `read_${index}`;

const columnsOf = (reads: Reads): Sql[] =>
  Object.values(reads).map(
    ({ query }, index) =>
      sql`(SELECT to_jsonb(whole_row) FROM (${query}) AS whole_row) AS ${sqlName(nameAt(index))}`,
  );

const valuesOf = <Group extends Reads>(
  reads: Group,
  row: Readonly<Record<string, unknown>> | undefined,
): ReadValues<Group> => {
  const entries = Object.entries(reads).map(
    ([name, { parse }], index) => [name, parse(row?.[nameAt(index)])] as const,
  );
  return Object.fromEntries(entries) as ReadValues<Group>;
};

/**
 * Reads several things in one statement, which is a single round trip, at a single moment for all
 * of them. Use a separate statement for reads that must follow a lock. A statement that waits for a
 * row still sees all other rows as they were when it began.
 */
export const readTogether = async <Group extends Reads>(
  db: Db,
  reads: Group,
): Promise<ReadValues<Group>> =>
  valuesOf(reads, await selectOne(db, sql`SELECT ${joinSql(columnsOf(reads))}`));

/** A part of a statement. It is a write with `RETURNING`. Other parts read its rows by its name. */
export interface Part {
  readonly name: string;
  readonly write: Sql;
}

/**
 * Runs several writes in one statement, in which each part's rows can be read as a table. Either
 * all writes happen or none. Each part sees the tables as they were before the statement, and the
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
 * returns its rows (`RETURNING`). `isWritten` is false if it returns no row.
 */
export const writeAndRead = async <Group extends Reads>(
  db: Db,
  write: Sql,
  reads: Group,
): Promise<{ readonly isWritten: boolean; readonly values: ReadValues<Group> }> => {
  const columns = [sql`EXISTS (SELECT FROM written) AS is_written`, ...columnsOf(reads)];
  const row = await selectOne<Record<string, unknown>>(
    db,
    sql`WITH written AS (${write}) SELECT ${joinSql(columns)}`,
  );
  return { isWritten: row?.['is_written'] === true, values: valuesOf(reads, row) };
};
