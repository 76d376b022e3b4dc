import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/platform/clock/clock.ts';
import { prismaFolder } from '../../src/platform/db/migrations.ts';
import { scriptToSchema } from './find-drift.ts';
import type { MigrateTarget } from '../../src/apps/migrate/deploy-migrations.ts';

interface CreateOptions extends MigrateTarget {
  readonly name: string;
  readonly clock: Clock;
}

const timestamp = (date: Date): string => date.toISOString().replaceAll(/\D/gu, '').slice(0, 14);

/**
 * Writes the migration from the existing migrations to the schema, with a shadow database. Returns
 * undefined if nothing has changed. What Prisma does not model (checks, partial indexes, grants) is
 * added to the file by hand.
 */
export const createMigration = async (options: CreateOptions): Promise<string | undefined> => {
  const { name, clock, folder = prismaFolder() } = options;
  if (!/^[a-z0-9_]{3,60}$/u.test(name)) {
    throw new Error('a migration is named with 3 to 60 of a-z, 0-9 and _');
  }
  const script = await scriptToSchema(options);
  if (script === undefined) return undefined;
  const directory = `${timestamp(clock.now())}_${name}`;
  const path = join(folder, 'migrations', directory);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'migration.sql'), script);
  return directory;
};
