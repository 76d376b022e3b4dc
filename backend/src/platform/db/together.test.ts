import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { sql, sqlChanges, sqlColumns } from './sql.ts';
import { readOf, readTogether, writeAndRead, writeTogether } from './together.ts';

const database = databaseOfFile(2);

const whole = (query: ReturnType<typeof sql>) => readOf(query, (row: object | undefined) => row);

const key = '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01';

/** One use of something, counted in a table of few columns. */
const use = (uses: number) => sql`
  INSERT INTO use_window (name, subject_id, started_at, uses)
  VALUES ('quotes', ${key}::uuid, now(), ${uses}::int)
  ON CONFLICT DO NOTHING
  RETURNING uses`;

describe('reads that share a statement', () => {
  it('each have the row of their own query, whatever its columns are called', async () => {
    const found = await readTogether(database().db, {
      found: whole(sql`SELECT true AS found`),
      named: whole(sql`SELECT 'x' AS whole, ${5n}::text AS amount`),
      none: whole(sql`SELECT 1 AS one WHERE false`),
    });
    expect(found).toEqual({
      found: { found: true },
      named: { whole: 'x', amount: '5' },
      none: undefined,
    });
  });

  it('see the tables as they were before the write that they are beside', async () => {
    const count = whole(sql`SELECT count(*)::int AS rows FROM use_window`);
    const first = await writeAndRead(database().db, use(1), { count });
    const again = await writeAndRead(database().db, use(2), { count });
    expect(first).toEqual({ isWritten: true, values: { count: { rows: 0 } } });
    expect(again).toEqual({ isWritten: false, values: { count: { rows: 1 } } });
    expect(await writeAndRead(database().db, use(3), {})).toMatchObject({ isWritten: false });
  });
});

describe('writes that share a statement', () => {
  it('happen together or not at all, and read each other by name', async () => {
    await database().db.useWindow.deleteMany();
    const other = '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e02';
    const both = (uses: string) =>
      writeTogether<{ uses: number }>(
        database().db,
        [
          { name: 'one', write: use(7) },
          {
            name: 'two',
            write: sql`
              INSERT INTO use_window (name, subject_id, started_at, uses)
              SELECT 'quotes', ${other}::uuid, now(), ${uses}::text::int FROM one
              RETURNING uses`,
          },
        ],
        sql`SELECT uses FROM two`,
      );
    await expect(both('many')).rejects.toThrow(/invalid input syntax/u);
    expect(await database().db.useWindow.count()).toBe(0);
    expect(await both('8')).toEqual({ uses: 8 });
    // Nothing of the first part, so nothing of the second.
    expect(await both('9')).toBeUndefined();
  });
});

describe('columns and changes by the names of the model', () => {
  it('are those of the table', async () => {
    await database().db.useWindow.deleteMany();
    await writeAndRead(database().db, use(3), {});
    const changes = sqlChanges({ uses: 4, startedAt: new Date(0), name: undefined });
    await database().db.$executeRaw`UPDATE use_window SET ${changes}`;
    const columns = sqlColumns({ name: true, startedAt: true, uses: true });
    const [row] = await database().db.$queryRaw<object[]>`SELECT ${columns} FROM use_window`;
    expect(row).toEqual({ name: 'quotes', startedAt: new Date(0), uses: 4 });
  });
});
