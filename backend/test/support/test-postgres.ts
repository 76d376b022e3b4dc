import { join } from 'node:path';
import { freePort } from '../../dev/stack/free-port.ts';
import { startPostgres } from '../../dev/stack/postgres-server.ts';
import type { RunFolder } from './run-folder.ts';

/** Starts the run's PostgreSQL and answers with its administrator's address. */
export const startTestPostgres = async (folder: RunFolder): Promise<string> => {
  const server = await startPostgres({
    home: folder.serverHome,
    data: join(folder.path, 'data'),
    port: await freePort(),
    logFile: join(folder.path, 'postgres.log'),
    user: folder.user,
    durable: false,
  });
  return server.adminUrl;
};
