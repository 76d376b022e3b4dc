import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const findUp = (start: string): string => {
  const candidate = join(start, 'prisma');
  if (existsSync(join(candidate, 'migrations'))) return candidate;
  const parent = dirname(start);
  if (parent === start) throw new Error('no folder prisma/migrations above this file');
  return findUp(parent);
};

/** The package's `prisma` folder, also for a bundle in `dist`: the nearest one above this file. */
export const prismaFolder = (): string => findUp(dirname(fileURLToPath(import.meta.url)));
