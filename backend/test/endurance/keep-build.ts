import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a backend's folder that its built processes read. */
const parts = ['dist', 'prisma', 'package.json'];

/**
 * Copies a build, and returns the copy's folder. A long run starts its processes repeatedly, so a
 * build, rebase or new migration in the meantime must not change them.
 */
export const keepBuild = (backend: string, home: string): string => {
  const folder = join(home, 'build');
  rmSync(folder, { recursive: true, force: true });
  for (const part of parts) cpSync(join(backend, part), join(folder, part), { recursive: true });
  return folder;
};
