import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { fillRow } from './fill-row.ts';
import { insertLegalRows, type LegalRows } from './legal-rows.ts';
import { insert } from './rows.ts';
import { triggerCases } from './trigger-cases.ts';
import type { TriggerCase } from './trigger-work.ts';

let fresh: FreshDatabase;
/** The owner's: only it can turn a trigger off. */
let client: Client;
let tables: readonly string[];
let sequences: readonly string[];
/** Columns whose default is another one each time, by table. */
const madeUp = new Map<string, string[]>();

const namesOf = async (sql: string): Promise<readonly string[]> =>
  (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.migrateUrl });
  await client.connect();
  tables = await namesOf(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  sequences = await namesOf(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace`,
  );
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'public'
       AND column_default ~ '(gen_random_uuid|clock_timestamp)'`,
  );
  for (const { table, column } of rows) {
    madeUp.set(table, [...(madeUp.get(table) ?? []), column]);
  }
});
afterAll(async () => {
  await client.end();
  await fresh.drop();
});

/** The rows of the database after some work, by table. */
interface End {
  readonly contents: Readonly<Record<string, string>>;
  readonly refusal: string | undefined;
}

/** Reads what each table holds, but for ids and times that the database makes up. */
const readContents = async (): Promise<Readonly<Record<string, string>>> => {
  const parts = tables.map((table) => {
    const left = (madeUp.get(table) ?? []).map((column) => `'${column}'`).join(', ');
    return `
      SELECT '${table}' AS name, md5(coalesce(string_agg(row, '|' ORDER BY row), '')) AS contents
      FROM (SELECT (to_jsonb(t) - ARRAY[${left}]::text[])::text AS row FROM ${table} t) AS rows`;
  });
  const { rows } = await client.query<{ name: string; contents: string }>(
    parts.join(' UNION ALL '),
  );
  return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
};

/** Sets where numbering goes on. No rollback takes a number back. */
const numberFrom = async (first: number): Promise<void> => {
  const all = sequences.map((name) => `setval('${name}', ${first})`);
  await client.query(`SELECT ${all.join(', ')}`);
};

/** Does the work of a case from the savepoint on, and goes back to it. */
const tryWork = async (work: ReturnType<TriggerCase['work']>): Promise<End> => {
  await numberFrom(1_000_000);
  let refusal: string | undefined;
  try {
    for (const one of work) {
      if ('sql' in one) await client.query(one.sql, [...one.values]);
      else await insert(client, one.table, one.row);
    }
    // Deferred triggers run now.
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    refusal = error.message;
    await client.query('ROLLBACK TO SAVEPOINT before_work');
  }
  const end = { contents: await readContents(), refusal };
  await client.query('ROLLBACK TO SAVEPOINT before_work');
  return end;
};

/** The work with every row filled once, so that both times it is the same to the letter. */
const fill = async ({ work }: TriggerCase, legal: LegalRows) => {
  const filled: ReturnType<TriggerCase['work']>[number][] = [];
  for (const one of work(legal)) {
    if ('sql' in one) filled.push(one);
    else filled.push({ ...one, row: await fillRow(client, one.table, one.row) });
  }
  return filled;
};

describe('a trigger of the database', () => {
  it.each(triggerCases)('$name does what is said of it', async (given) => {
    const { name, table, writes = [], refuses } = given;
    await client.query('BEGIN');
    await numberFrom(100_000);
    const work = await fill(given, await insertLegalRows(client));
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    await client.query('SET CONSTRAINTS ALL DEFERRED');
    await client.query('SAVEPOINT before_work');
    const withIt = await tryWork(work);
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`);
    await client.query('SAVEPOINT before_work');
    const without = await tryWork(work);
    await client.query('ROLLBACK');
    const written = tables.filter((one) => withIt.contents[one] !== without.contents[one]);
    const isRefused = ({ refusal = '' }: End): boolean => refuses?.test(refusal) === true;
    expect({
      refusal: isRefused(withIt) ? 'its own' : withIt.refusal,
      isRefusedWithout: isRefused(without),
      writes: refuses === undefined ? written : [],
    }).toEqual({
      refusal: refuses === undefined ? undefined : 'its own',
      isRefusedWithout: false,
      writes,
    });
  });

  it('has a row here, or keeps a table append-only', async () => {
    const known = new Set(triggerCases.map(({ name }) => name));
    const names = await namesOf(
      `SELECT tgname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace`,
    );
    const missing = names.filter((name) => !known.has(name) && !name.endsWith('_append_only'));
    expect(missing).toEqual([]);
  });
});
