import { Client, DatabaseError } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { insert, type Row } from './rows.ts';
import { insertLegalRows, type LegalRows } from './legal-rows.ts';

interface LegalRowsTransaction {
  /** The application role's connection, in a transaction that each test rolls back. */
  readonly client: Client;
  readonly legal: LegalRows;
  /**
   * The constraint or unique index that refused `work`, undone then, or undefined when none did.
   */
  readonly refusalOf: (work: () => Promise<unknown>) => Promise<string | undefined>;
  /** Does the same for an insert. */
  readonly refusalOfRow: (table: string, row: Row) => Promise<string | undefined>;
  /** The same of a second insert after a first that goes well. */
  readonly refusalOfSecond: (table: string, first: Row, second: Row) => Promise<string | undefined>;
}

const refusalOn = async (client: Client, work: () => Promise<unknown>) => {
  await client.query('SAVEPOINT attempt');
  try {
    await work();
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT attempt');
    if (error instanceof DatabaseError) return error.constraint ?? error.message;
    throw error;
  }
};

/** Gives each test of the file one legal row of every table. Call it once, at the top. */
export const useLegalRows = (): (() => LegalRowsTransaction) => {
  let fresh: FreshDatabase;
  let client: Client;
  let legal: LegalRows;
  beforeAll(async () => {
    fresh = await freshDatabase();
    client = new Client({ connectionString: fresh.appUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await fresh.drop();
  });
  beforeEach(async () => {
    await client.query('BEGIN');
    legal = await insertLegalRows(client);
  });
  afterEach(async () => {
    await client.query('ROLLBACK');
  });
  return () => ({
    client,
    legal,
    refusalOf: (work) => refusalOn(client, work),
    refusalOfRow: (table, row) => refusalOn(client, () => insert(client, table, row)),
    refusalOfSecond: async (table, first, second) => {
      await insert(client, table, first);
      return refusalOn(client, () => insert(client, table, second));
    },
  });
};
