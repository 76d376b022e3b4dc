import type { Client } from 'pg';
import { newId, type Row } from './rows.ts';

/** A value of each type that must be there. */
const values: Readonly<Record<string, () => unknown>> = {
  uuid: newId,
  text: () => 'x',
  boolean: () => false,
  jsonb: () => '{}',
  bytea: () => String.raw`\x01`,
  date: () => '2026-11-21',
  'timestamp with time zone': () => '2026-11-21T09:00:00.000Z',
};

/** Adds a value to a row for every column that must have one, and has no default. */
export const fillRow = async (client: Client, table: string, given: Row): Promise<Row> => {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO'
       AND column_default IS NULL AND is_identity = 'NO'`,
    [table],
  );
  const filled = rows.map(({ name, type }) => [name, (values[type] ?? (() => 1))()]);
  return { ...Object.fromEntries(filled), ...given };
};
