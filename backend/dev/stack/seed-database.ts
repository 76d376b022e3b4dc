import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, type StackAddresses } from './environment.ts';
import { runOrThrow } from './run-command.ts';

/**
 * Puts in what a new stack starts with: see ../seed. It only adds what is missing.
 * @throws Error with what it said last.
 */
export const seedDatabase = async (backend: string, addresses: StackAddresses): Promise<void> => {
  const main = join(backend, 'dist', 'seed', 'main.js');
  if (!existsSync(main)) return;
  const env = environmentOf('seed', addresses);
  await runOrThrow(process.execPath, ['--enable-source-maps', main], { env, cwd: backend });
};
