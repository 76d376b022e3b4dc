import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';

/** Runs a statement as somebody does who has the rights of the tables' owner. */
export const asOwner = <T extends object>(system: RunningSystem, statement: string): Promise<T[]> =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    const { rows } = await client.query<T>(statement);
    return rows;
  });

/** The gold provider answers nothing but errors, until faults are cleared. */
export const breakProvider = (system: RunningSystem): Promise<void> =>
  system.sandbox.fault('safegold', '*', 'error', { times: 100_000 });

/** Lets the database refuse new rows of a table. Returns what takes them again. */
export const refuseRows = async (
  system: RunningSystem,
  table: string,
): Promise<() => Promise<void>> => {
  await asOwner(
    system,
    `CREATE FUNCTION refuse_rows() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'no row is taken'; END $$`,
  );
  await asOwner(
    system,
    `CREATE TRIGGER refuse_rows BEFORE INSERT ON ${table} EXECUTE FUNCTION refuse_rows()`,
  );
  return async () => {
    await asOwner(system, `DROP TRIGGER refuse_rows ON ${table}`);
    await asOwner(system, 'DROP FUNCTION refuse_rows');
  };
};
