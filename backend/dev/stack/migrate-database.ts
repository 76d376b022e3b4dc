import { join } from 'node:path';
import type { ProcessEnvironment } from './environment.ts';
import { runOrThrow } from './run-command.ts';

interface MigrateOptions {
  /** The folder whose `dist/migrate/main.js` is run. */
  readonly backend: string;
  readonly environment: ProcessEnvironment;
  /** Connects as the owner of the tables. */
  readonly migrateUrl: string;
}

/**
 * Applies the missing migrations, by the same process as in production.
 * @throws Error with the end of its output.
 */
export const migrateDatabase = async (options: MigrateOptions): Promise<void> => {
  const main = join(options.backend, 'dist', 'migrate', 'main.js');
  const env = { ...options.environment, MIGRATE_DATABASE_URL: options.migrateUrl };
  await runOrThrow(process.execPath, ['--enable-source-maps', main], { env, cwd: options.backend });
};
