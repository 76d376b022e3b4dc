import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import type { Row } from './rows.ts';
import { uniqueCases } from './unique-cases.ts';

let fresh: FreshDatabase;
let client: Client;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.appUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await fresh.drop();
});

interface Index {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
}

const readIndexes = async (): Promise<readonly Index[]> => {
  const { rows } = await client.query<Index>(
    `SELECT c.relname AS name, i.indrelid::regclass::text AS table,
       pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indisunique AND NOT i.indisprimary AND c.relnamespace = 'public'::regnamespace
     ORDER BY c.relname`,
  );
  return rows;
};

/** A table with the columns of another one and this index of it, and nothing else. */
const makeCopy = async ({ table, definition }: Index): Promise<void> => {
  await client.query(`CREATE TEMP TABLE copy AS SELECT * FROM ${table} WITH NO DATA`);
  await client.query(definition.replace(/ ON public\.\S+ /u, ' ON copy '));
};

/** Two values of each type, as JSON has them. */
const values: Readonly<Record<string, readonly [unknown, unknown]>> = {
  uuid: ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
  date: ['2026-11-21', '2026-11-22'],
  'timestamp with time zone': ['2026-11-21T09:00:00Z', '2026-11-21T09:00:01Z'],
};

const readTypes = async (table: string): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1`,
    [table],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
};

/** Returns the name of the index that refuses the row, or undefined. */
const offer = async (table: string, row: Row): Promise<string | undefined> => {
  await client.query('SAVEPOINT offer');
  try {
    const sql = `INSERT INTO copy SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`;
    await client.query(sql, [JSON.stringify(row)]);
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT offer');
    if (error instanceof DatabaseError) return error.constraint ?? error.message;
    throw error;
  }
};

describe('a unique index of the database', () => {
  it.each(uniqueCases.map(([name, columns, bound = {}, free]) => ({ name, columns, bound, free })))(
    '$name refuses a second row, and no other one',
    async ({ name, columns, bound, free }) => {
      const index = (await readIndexes()).find((one) => one.name === name);
      expect(index, 'the index is there').toBeDefined();
      if (index === undefined) return;
      const types = await readTypes(index.table);
      const rowOf = (which: 0 | 1, more: Row): Row => ({
        ...Object.fromEntries(
          columns.map((column, at) => {
            const isLast = at === columns.length - 1;
            const pair = values[types.get(column) ?? ''] ?? ['1', '2'];
            return [column, pair[isLast ? which : 0]];
          }),
        ),
        ...more,
      });
      await client.query('BEGIN');
      await makeCopy(index);
      const refusals = [
        await offer(index.table, rowOf(0, bound)),
        await offer(index.table, rowOf(0, bound)),
        await offer(index.table, rowOf(1, bound)),
        free === undefined ? undefined : await offer(index.table, rowOf(0, free)),
      ];
      await client.query('ROLLBACK');
      // An index without columns allows a single row of its kind.
      const other = columns.length === 0 ? name : undefined;
      expect(refusals).toEqual([undefined, name, other, undefined]);
    },
  );

  it('has its columns here', async () => {
    const known = new Set(uniqueCases.map(([name]) => name));
    const names = (await readIndexes()).map(({ name }) => name);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});
