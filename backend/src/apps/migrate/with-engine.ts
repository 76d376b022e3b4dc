import type { MigrationList } from '@prisma/schema-engine-wasm';
import { prismaFolder } from '../../platform/db/prisma-folder.ts';
import { readMigrations, readSchema, type SchemaFile } from './migration-files.ts';
import { openSchemaEngine, type SchemaEngine } from './schema-engine.ts';

export interface EngineAtWork {
  readonly engine: SchemaEngine;
  readonly migrations: MigrationList;
  readonly schema: SchemaFile[];
}

/** A database, and the `prisma` folder (the package's own unless another is named). */
export interface MigrateTarget {
  /** A connection of the role that owns the schema. */
  readonly url: string;
  readonly folder?: string;
}

/** No table of ours is left out of what the engine looks at. */
export const wholeSchema = { externalTables: [], externalEnums: [] };

/** Opens the engine on the files of the `prisma` folder, and lets go of its connection after. */
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
