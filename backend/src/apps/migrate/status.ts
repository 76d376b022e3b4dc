import { wholeSchema, withEngine, type MigrateTarget } from './with-engine.ts';

export interface MigrationStatus {
  readonly pending: string[];
  readonly failed: string[];
  /** Applied with another text than the file has now. */
  readonly edited: string[];
  /** Applied, and not among the files: of a newer build. */
  readonly unknown: string[];
}

/** Compares the files with what the database recorded; changes nothing. */
export const readStatus = (target: MigrateTarget): Promise<MigrationStatus> =>
  withEngine(target, async ({ engine, migrations }) => {
    const { history, failedMigrationNames, editedMigrationNames } =
      await engine.diagnoseMigrationHistory({
        migrationsList: migrations,
        optInToShadowDatabase: false,
        filters: wholeSchema,
      });
    return {
      pending:
        history !== null && 'unappliedMigrationNames' in history
          ? history.unappliedMigrationNames
          : [],
      failed: failedMigrationNames,
      edited: editedMigrationNames,
      unknown:
        history !== null && 'unpersistedMigrationNames' in history
          ? history.unpersistedMigrationNames
          : [],
    };
  });
