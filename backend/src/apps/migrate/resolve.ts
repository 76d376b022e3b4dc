import { withEngine } from './with-engine.ts';

/** Records a failed migration as rolled back, so that the next deployment applies it again. */
export const markRolledBack = async (url: string, migrationName: string): Promise<void> => {
  await withEngine(url, ({ engine }) => engine.markMigrationRolledBack({ migrationName }));
};

/** Records a migration as applied without playing it, where its work was done by hand. */
export const markApplied = async (url: string, migrationName: string): Promise<void> => {
  await withEngine(url, ({ engine, migrations }) =>
    engine.markMigrationApplied({ migrationName, migrationsList: migrations }),
  );
};
