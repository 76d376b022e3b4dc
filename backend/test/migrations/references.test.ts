import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { references } from './reference-cases.ts';

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

interface Case {
  readonly name: string;
  readonly child: string;
  readonly column: string;
  readonly parent: string;
  readonly key: string;
}

const cases: readonly Case[] = Object.entries(references).flatMap(([child, columns]) =>
  Object.entries(columns).map(([column, target]) => {
    const [parent = '', key = 'id'] = target.split('.');
    return { name: `${child}_${column}_fkey`, child, column, parent, key };
  }),
);

const readDefinition = async ({ name, child }: Case): Promise<string> => {
  const { rows } = await client.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'f' AND conname = $1 AND conrelid = $2::regclass`,
    [name, child],
  );
  return rows[0]?.definition ?? 'none';
};

/** Both tables with their columns and this reference, and nothing else. */
const makeCopies = async (one: Case, definition: string): Promise<void> => {
  const { name, child, parent, key } = one;
  await client.query(`CREATE TEMP TABLE parent AS SELECT * FROM ${parent} WITH NO DATA`);
  await client.query(`ALTER TABLE parent ADD UNIQUE (${key})`);
  await client.query(`CREATE TEMP TABLE child AS SELECT * FROM ${child} WITH NO DATA`);
  const copied = definition.replace(`REFERENCES ${parent}(`, 'REFERENCES pg_temp.parent(');
  await client.query(`ALTER TABLE child ADD CONSTRAINT ${name} ${copied}`);
};

/** Returns the name of the reference that refuses a statement, or undefined. */
const offer = async (sql: string, values: readonly string[]): Promise<string | undefined> => {
  await client.query('SAVEPOINT offer');
  try {
    await client.query(sql, [...values]);
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT offer');
    if (error instanceof DatabaseError) return error.constraint ?? error.message;
    throw error;
  }
};

const [one, other] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
] as const;

describe('a reference of the database', () => {
  it.each(cases)('$name takes no row of nobody, and keeps whose rows are there', async (given) => {
    const { name, column, parent, key } = given;
    const definition = await readDefinition(given);
    expect(definition).toContain(`FOREIGN KEY (${column}) REFERENCES ${parent}(${key})`);
    await client.query('BEGIN');
    await makeCopies(given, definition);
    const addChild = () => offer(`INSERT INTO child (${column}) VALUES ($1)`, [one]);
    const ofNobody = await addChild();
    await client.query(`INSERT INTO parent (${key}) VALUES ($1)`, [one]);
    const ofSomebody = await addChild();
    const gone = await offer('DELETE FROM parent', []);
    const renamed = await offer(`UPDATE parent SET ${key} = $1`, [other]);
    await client.query('ROLLBACK');
    expect({ ofNobody, ofSomebody, gone, renamed }).toEqual({
      ofNobody: name,
      ofSomebody: undefined,
      gone: name,
      renamed: name,
    });
  });

  it('has its column here', async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint
       WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
    );
    const known = new Set(cases.map(({ name }) => name));
    expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});
