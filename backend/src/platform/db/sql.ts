import { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from './database.ts';

/** A piece of SQL with its values kept apart. Pieces nest. */
export type Sql = Prisma.Sql;

/** Builds a piece of SQL. The value of `${}` is sent as a parameter, or nested if it is `Sql`. */
export const sql: (strings: TemplateStringsArray, ...values: unknown[]) => Sql = Prisma.sql;

/** The empty piece, for a condition that does not apply. */
export const noSql: Sql = Prisma.empty;

/** Joins pieces or values with `separator`, a comma by default. Refuses an empty list. */
export const joinSql: (parts: readonly unknown[], separator?: string) => Sql = (parts, separator) =>
  Prisma.join([...parts], separator);

const plainName = /^[a-z][a-z0-9_]{0,62}$/u;

/** Puts a table's or column's name into SQL. Only for names fixed in code: others are refused. */
export const sqlName = (name: string): Sql => {
  if (!plainName.test(name)) throw new Error(`not a plain name of the schema: ${name}`);
  return Prisma.raw(name);
};

/** Returns every row of a query. `Row` is what the statement's column list promises. */
export const selectRows = <Row>(db: Db, query: Sql): Promise<Row[]> => db.$queryRaw<Row[]>(query);

/** Returns the first row of a query, or undefined when there is none. */
export const selectOne = async <Row>(db: Db, query: Sql): Promise<Row | undefined> => {
  const [row] = await db.$queryRaw<Row[]>(query);
  return row;
};

/** Runs a statement and returns the number of changed rows. Check it after an update. */
export const execute = (db: Db, statement: Sql): Promise<number> => db.$executeRaw(statement);

/**
 * Locks the row of a table by its id until the transaction ends, and returns false if there is no
 * such row. A later read sees the row as the last transaction before the lock left it.
 */
export const lockRow = async (tx: Db, table: string, id: string): Promise<boolean> => {
  const query = sql`SELECT id FROM ${sqlName(table)} WHERE id = ${id}::uuid FOR UPDATE`;
  return (await selectRows(tx, query)).length > 0;
};

/** Serialises transactions that lock the same text. Each holds the lock until it ends. */
export const lockText = async (tx: Db, text: string): Promise<void> => {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${text}, 0))`;
};

const snakeOf = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

/**
 * Lists the columns of a `select` of the model API under the same names, so that a statement that
 * has to be SQL returns the same row and each column is listed once.
 */
export const sqlColumns = (select: Readonly<Record<string, true>>): Sql =>
  joinSql(
    Object.keys(select).map((name) => sql`${sqlName(snakeOf(name))} AS ${Prisma.raw(`"${name}"`)}`),
  );

/**
 * Lists assignments of an update by the names of the model API. Undefined values leave their column
 * unchanged.
 */
export const sqlChanges = (changes: Readonly<Record<string, unknown>>): Sql =>
  joinSql(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => sql`${sqlName(snakeOf(name))} = ${value}`),
  );
