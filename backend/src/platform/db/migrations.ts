import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readdir } from 'node:fs/promises';
import type { Db } from './database.ts';
import { selectRows, sql } from './sql.ts';
import { sqlStateOf } from './errors.ts';

const findUp = (start: string): string => {
  const candidate = join(start, 'prisma');
  if (existsSync(join(candidate, 'migrations'))) return candidate;
  const parent = dirname(start);
  if (parent === start) throw new Error('no folder prisma/migrations above this file');
  return findUp(parent);
};

/**
 * Finds the package's `prisma` folder, which is the nearest above this file, or above a bundle in
 * `dist`.
 */
export const prismaFolder = (): string => findUp(dirname(fileURLToPath(import.meta.url)));

const undefinedTable = '42P01';

/** Returns the names of this build's migrations, oldest first. */
export const listMigrations = async (folder = prismaFolder()): Promise<string[]> => {
  const entries = await readdir(join(folder, 'migrations'), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
};

/**
 * Returns a function that reads the list once. A process belongs to the build from which it was
 * started. If a later build has been unpacked into the folder meanwhile, the later migrations are
 * not the process's own, and waiting for them would close buying.
 */
export const listOnce = (folder?: string): (() => Promise<readonly string[]>) => {
  let known: readonly string[] | undefined;
  return async () => (known ??= await listMigrations(folder ?? prismaFolder()));
};

const listOwn = listOnce();

interface AppliedRow {
  readonly migration_name: string;
}

const appliedStatement = () => sql`
  SELECT migration_name FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;

/**
 * Returns the migrations that this build needs and the database lacks (contract: conventions >
 * Probes). `ask` runs the statement. Migrations that only the database has belong to a newer build,
 * and are accepted.
 */
export const findMissing = async (
  ask: (statement: string) => Promise<readonly AppliedRow[]>,
  required?: readonly string[],
): Promise<string[]> => {
  const rows = await ask(appliedStatement().text).catch((error: unknown) => {
    if (sqlStateOf(error) === undefinedTable) return [];
    throw error;
  });
  const applied = new Set(rows.map((row) => row.migration_name));
  return (required ?? (await listOwn())).filter((name) => !applied.has(name));
};

/** Returns the same migrations. It runs the statement on `db`. */
export const missingMigrations = (db: Db, required?: readonly string[]): Promise<string[]> =>
  findMissing(() => selectRows<AppliedRow>(db, appliedStatement()), required);
