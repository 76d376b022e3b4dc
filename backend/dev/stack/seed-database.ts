import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, type StackAddresses } from './environment.ts';
import { runOrThrow } from './run-command.ts';

/**
 * Adds the missing rows that a new stack starts with (see src/apps/seed).
 * @throws Error with the end of its output.
 */
export const seedDatabase = async (backend: string, addresses: StackAddresses): Promise<void> => {
  const main = join(backend, 'dist', 'seed', 'main.js');
  if (!existsSync(main)) return;
  const env = environmentOf('seed', addresses);
  await runOrThrow(process.execPath, ['--enable-source-maps', main], { env, cwd: backend });
};
