import { rmSync } from 'node:fs';
import { dropDatabase } from './database-setup.ts';
import { stopPostgres } from './postgres-server.ts';
import { createProcessRecords } from './process-records.ts';
import { readOutsideHome } from './server-user.ts';
import type { StackOptions } from './stack-options.ts';
import { postgresData } from './stack-servers.ts';

/**
 * Stops the stack's running processes, callers before the processes that they call. Keeps its data.
 */
export const stopStack = async (
  options: StackOptions,
  log: (line: string) => void,
): Promise<void> => {
  const records = createProcessRecords(options.paths.run);
  const stop = async (name: string): Promise<void> => {
    if (await records.stop(name)) log(`stopped ${name}`);
  };
  await Promise.all(['customer', 'admin', 'accounting', 'worker'].map(stop));
  await stop('sandbox');
  await stop('redis');
  if (await stopPostgres(await postgresData(options))) log('stopped postgres');
};

/**
 * Stops the stack and removes its data. In a given PostgreSQL, only the stack's own database is
 * dropped. A given Redis stays unchanged.
 */
export const resetStack = async (
  options: StackOptions,
  log: (line: string) => void,
): Promise<void> => {
  await stopStack(options, log);
  const { paths } = options;
  if (options.adminUrl !== undefined) await dropDatabase(options.adminUrl, options.databaseName);
  if (options.redisUrl !== undefined) log('the Redis of REDIS_URL was left as it is');
  const outside = readOutsideHome(paths.home);
  rmSync(await postgresData(options), { recursive: true, force: true });
  if (outside !== undefined) rmSync(outside, { recursive: true, force: true });
  const folders = [paths.redisData, paths.sandboxData, paths.objects, paths.settings, paths.logs];
  for (const path of [...folders, paths.endpointsFile, paths.environmentFile]) {
    rmSync(path, { recursive: true, force: true });
  }
  log('the stack is empty');
};
