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

/**
 * Finds the package's `prisma` folder: the nearest one above this file, or above a bundle in
 * `dist`.
 */
export const prismaFolder = (): string => findUp(dirname(fileURLToPath(import.meta.url)));
