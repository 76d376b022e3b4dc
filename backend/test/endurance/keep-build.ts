import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a backend's folder that its built processes read. */
const parts = ['dist', 'prisma', 'package.json'];

/**
 * Copies a build, and returns the copy's folder. A run of a quarter of an hour starts its processes
 * again and again: whoever builds, rebases or adds a migration meanwhile changes nothing of it.
 */
export const keepBuild = (backend: string, home: string): string => {
  const folder = join(home, 'build');
  rmSync(folder, { recursive: true, force: true });
  for (const part of parts) cpSync(join(backend, part), join(folder, part), { recursive: true });
  return folder;
};
