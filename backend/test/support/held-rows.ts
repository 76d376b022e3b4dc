import { Client } from 'pg';
import { eventually } from './eventually.ts';

/** A row that nobody else can change until it is let go of. */
export interface HeldRow {
  release(): Promise<void>;
  /** Lets go of it with the change that `sql` made. */
  commit(): Promise<void>;
}

/**
 * Holds the rows that `sql` selects FOR UPDATE, or changes, so that whoever wants to write them
 * stands.
 */
export const holdRows = async (
  url: string,
  sql: string,
  values: readonly string[],
): Promise<HeldRow> => {
  const client = new Client({ connectionString: url, application_name: 'row-holder' });
  await client.connect();
  await client.query('BEGIN');
  const { rowCount } = await client.query(sql, [...values]);
  if (rowCount !== 1) throw new Error(`${rowCount} rows to hold: ${sql}`);
  const end = async (how: 'ROLLBACK' | 'COMMIT'): Promise<void> => {
    await client.query(how);
    await client.end();
  };
  return { release: () => end('ROLLBACK'), commit: () => end('COMMIT') };
};

/** Waits until so many of the system's connections stand before somebody's lock. */
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
