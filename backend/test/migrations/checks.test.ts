import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { checkCases } from './check-cases.ts';
import type { Row } from './rows.ts';

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

interface Check {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
}

const readChecks = async (): Promise<readonly Check[]> => {
  const { rows } = await client.query<Check>(
    `SELECT conname AS name, conrelid::regclass::text AS table,
       pg_get_constraintdef(oid) AS definition
     FROM pg_constraint
     WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY conname`,
  );
  return rows;
};

/** A table with the columns of another one and this check of it, and nothing else. */
const makeCopy = async ({ name, table, definition }: Check): Promise<void> => {
  await client.query(`CREATE TEMP TABLE copy AS SELECT * FROM ${table} WITH NO DATA`);
  await client.query(`ALTER TABLE copy ADD CONSTRAINT ${name} ${definition}`);
};

/** Returns the name of the constraint that refuses the row, or undefined. */
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

describe('a check of the database', () => {
  it.each(checkCases.map(([name, illegal, legal]) => ({ name, illegal, legal })))(
    '$name refuses the illegal row and no other',
    async ({ name, illegal, legal }) => {
      const check = (await readChecks()).find((one) => one.name === name);
      expect(check, 'the check is there').toBeDefined();
      if (check === undefined) return;
      await client.query('BEGIN');
      await makeCopy(check);
      const refusals = [await offer(check.table, illegal), await offer(check.table, legal)];
      await client.query('ROLLBACK');
      expect(refusals).toEqual([name, undefined]);
    },
  );

  it('has a row here, or in a test beside this one, that it refuses', async () => {
    const beside = readdirSync(import.meta.dirname)
      .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
      .join('\n');
    const missing = (await readChecks()).map(({ name }) => name);
    expect(missing.filter((name) => !beside.includes(name))).toEqual([]);
  });
});
