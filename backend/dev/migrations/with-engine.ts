import type { MigrationList } from '@prisma/schema-engine-wasm';
import type { MigrateTarget } from '../../src/apps/migrate/deploy-migrations.ts';
import { prismaFolder } from '../../src/platform/db/migrations.ts';
import { readMigrations, readSchema, type SchemaFile } from './migration-files.ts';
import { openSchemaEngine, type SchemaEngine } from './schema-engine.ts';

export interface EngineAtWork {
  readonly engine: SchemaEngine;
  readonly migrations: MigrationList;
  readonly schema: SchemaFile[];
}

/** Excludes no table and no enum from the engine's comparison. */
export const wholeSchema = { externalTables: [], externalEnums: [] };

/** Runs `work` with the engine on the files of the `prisma` folder, and closes its connection. */
export const withEngine = async <T>(
  { url, folder = prismaFolder() }: MigrateTarget,
  work: (atWork: EngineAtWork) => Promise<T>,
): Promise<T> => {
  const [migrations, schema] = await Promise.all([readMigrations(folder), readSchema(folder)]);
  const { engine, close } = await openSchemaEngine(url, schema);
  try {
    return await work({ engine, migrations, schema });
  } finally {
    await close();
  }
};
