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
