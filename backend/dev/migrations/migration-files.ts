import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { listMigrations } from '../../src/platform/db/migrations.ts';

export interface SchemaFile {
  readonly path: string;
  readonly content: string;
}

const lockFile = 'migration_lock.toml';
const scriptFile = 'migration.sql';

/** Reads every file of the schema, sorted by name. */
export const readSchema = async (folder: string): Promise<SchemaFile[]> => {
  const names = await readdir(join(folder, 'schema'));
  const paths = names.filter((name) => name.endsWith('.prisma')).toSorted();
  return Promise.all(
    paths.map(async (name) => {
      const path = join(folder, 'schema', name);
      return { path, content: await readFile(path, 'utf8') };
    }),
  );
};

/** Reads the migrations in the engine's form, with names, scripts and the lock file. */
export const readMigrations = async (folder: string): Promise<MigrationList> => {
  const baseDir = join(folder, 'migrations');
  const names = await listMigrations(folder);
  const migrationDirectories = await Promise.all(
    names.map(async (name) => ({
      path: name,
      migrationFile: {
        path: scriptFile,
        content: {
          tag: 'ok' as const,
          value: await readFile(join(baseDir, name, scriptFile), 'utf8'),
        },
      },
    })),
  );
  return {
    baseDir,
    shadowDbInitScript: '',
    lockfile: { path: lockFile, content: await readFile(join(baseDir, lockFile), 'utf8') },
    migrationDirectories,
  };
};
