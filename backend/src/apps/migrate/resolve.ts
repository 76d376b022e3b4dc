import { withEngine, type MigrateTarget } from './with-engine.ts';

/** Records a failed migration as rolled back, so that the next deployment applies it again. */
export const markRolledBack = async (
  target: MigrateTarget,
  migrationName: string,
): Promise<void> => {
  await withEngine(target, ({ engine }) => engine.markMigrationRolledBack({ migrationName }));
};

/** Records a migration as applied without playing it, where its work was done by hand. */
export const markApplied = async (target: MigrateTarget, migrationName: string): Promise<void> => {
  await withEngine(target, ({ engine, migrations }) =>
    engine.markMigrationApplied({ migrationName, migrationsList: migrations }),
  );
};
