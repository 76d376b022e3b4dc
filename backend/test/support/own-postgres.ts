import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { startPostgres, stopPostgres } from '../../dev/stack/postgres-server.ts';
import { findServerUser, prepareServerHome } from '../../dev/stack/server-user.ts';

/** A PostgreSQL server for one test, which may change the server's settings. */
export interface OwnPostgres {
  /** The URL of a connection as the administrator. */
  readonly url: string;
  /** Changes a setting of the server and reloads its configuration. It takes effect a little later. */
  set(name: string, value: string): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and removes its files. */
  close(): Promise<void>;
}

const repository = join(import.meta.dirname, '..', '..', '..');

/** Starts an empty server. */
export const openOwnPostgres = async (): Promise<OwnPostgres> => {
  const user = await findServerUser();
  const home = await prepareServerHome(join(repository, '.dev'), user);
  const folder = mkdtempSync(join(tmpdir(), 'own-postgres-'));
  // A strict umask must not keep the server's user out.
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const { adminUrl: url } = await startPostgres({
    home,
    data,
    port: await freePort(),
    logFile: join(folder, 'postgres.log'),
    user,
    durable: true,
  });
  const stop = async (): Promise<void> => {
    await stopPostgres(data);
  };
  return {
    url,
    set: (name, value) =>
      withConnection(url, async (client) => {
        await client.query(`ALTER SYSTEM SET ${name} = ${client.escapeLiteral(value)}`);
        await client.query('SELECT pg_reload_conf()');
      }),
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
