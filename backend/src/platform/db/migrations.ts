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
 * Finds the package's `prisma` folder: the nearest one above this file, or above a bundle in
 * `dist`.
 */
export const prismaFolder = (): string => findUp(dirname(fileURLToPath(import.meta.url)));

const undefinedTable = '42P01';

/** The names of the migrations that this build comes with, oldest first. */
export const listMigrations = async (folder = prismaFolder()): Promise<string[]> => {
  const entries = await readdir(join(folder, 'migrations'), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
};

const appliedMigrations = async (db: Db): Promise<string[]> => {
  try {
    const rows = await selectRows<{ migration_name: string }>(
      db,
      sql`
      SELECT migration_name FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
    );
    return rows.map((row) => row.migration_name);
  } catch (error) {
    if (sqlStateOf(error) === undefinedTable) return [];
    throw error;
  }
};

/**
 * The migrations that this build needs and the database lacks (contract: conventions > Probes).
 * Those that only the database knows are of a newer build, and fine.
 */
export const missingMigrations = async (
  db: Db,
  required?: readonly string[],
): Promise<string[]> => {
  const applied = new Set(await appliedMigrations(db));
  return (required ?? (await listMigrations())).filter((name) => !applied.has(name));
};
