import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock/clock.ts';
import { prismaFolder } from '../../platform/db/prisma-folder.ts';
import { scriptToSchema } from './drift.ts';

interface CreateOptions {
  readonly url: string;
  readonly name: string;
  readonly clock: Clock;
}

const timestamp = (date: Date): string => date.toISOString().replaceAll(/\D/gu, '').slice(0, 14);

/**
 * Writes the migration that leads from those there are to the schema, by way of a shadow
 * database; undefined when there is nothing to do. What Prisma does not model (checks, partial
 * indexes, grants) is added to the file by hand.
 */
export const createMigration = async (options: CreateOptions): Promise<string | undefined> => {
  const { url, name, clock } = options;
  if (!/^[a-z0-9_]{3,60}$/u.test(name)) {
    throw new Error('a migration is named with 3 to 60 of a-z, 0-9 and _');
  }
  const script = await scriptToSchema(url);
  if (script === undefined) return undefined;
  const directory = `${timestamp(clock.now())}_${name}`;
  const path = join(prismaFolder(), 'migrations', directory);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'migration.sql'), script);
  return directory;
};
