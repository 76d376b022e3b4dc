import { Client } from 'pg';
import { eventually } from './eventually.ts';

/** A lock on a row, which nobody else can change until it is released. */
export interface RowLock {
  release(): Promise<void>;
  /** Releases it with the change that `sql` made. */
  commit(): Promise<void>;
}

/**
 * Locks the row that `sql` selects FOR UPDATE, or changes, so that whoever wants to write it
 * waits.
 */
export const lockRows = async (
  url: string,
  sql: string,
  values: readonly string[],
): Promise<RowLock> => {
  const client = new Client({ connectionString: url, application_name: 'row-lock' });
  await client.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(sql, [...values]);
  if (rowCount !== 1) throw new Error(`${rowCount} rows to lock: ${sql}`);
  const end = async (how: 'ROLLBACK' | 'COMMIT'): Promise<void> => {
    await client.query(how);
    await client.end();
  };
  return { release: () => end('ROLLBACK'), commit: () => end('COMMIT') };
};

/**
 * Lets whoever inserts into a table wait until it is released, at the address of the tables' owner.
 * Once a file and table.
 */
export const holdInserts = async (
  migrateUrl: string,
  table: string,
): Promise<Pick<RowLock, 'release'>> => {
  const client = new Client({ connectionString: migrateUrl, application_name: 'insert-lock' });
  await client.connect();
  const name = client.escapeIdentifier(`wait_to_insert_${table}`);
  const lock = `hashtext(${client.escapeLiteral(table)})`;
  await client.query(`SELECT pg_advisory_lock(${lock})`);
  await client.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${lock});
      RETURN NEW;
    END $$;
    CREATE TRIGGER ${name} BEFORE INSERT ON ${client.escapeIdentifier(table)}
      FOR EACH ROW EXECUTE FUNCTION ${name}();`);
  return { release: () => client.end() };
};

/** Waits until so many of the system's connections wait for somebody's lock. */
export const untilBlocked = async (url: string, count: number): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query<{ blocked: string }>(
        `SELECT count(*) AS blocked FROM pg_stat_activity
         WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
      return rows[0]?.blocked === String(count);
    });
  } finally {
    await client.end();
  }
};
