import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { stopPostgres } from '../../dev/stack/postgres-server.ts';
import { commandLineOf, stopProcess } from '../../dev/stack/process-control.ts';
import { findServerUser, prepareServerHome, type ServerUser } from '../../dev/stack/server-user.ts';

/** The folder of one test run's server files. */
export interface RunFolder {
  readonly path: string;
  /** The folder of PostgreSQL's binaries, shared by all runs. */
  readonly serverHome: string;
  readonly stackHome: string;
  readonly user: ServerUser | undefined;
  /** Records a server that this run started, so that a later run can stop it if this one can't. */
  recordServer(pid: number): void;
  /** Stops the run's servers and removes its files. */
  close(): Promise<void>;
}

const prefix = 'test-run-';
const repository = join(import.meta.dirname, '..', '..', '..');

/** Opens a folder for this run, and first clears what runs that were killed have left. */
export const openRunFolder = async (): Promise<RunFolder> => {
  const stackHome = join(repository, '.dev');
  const user = await findServerUser();
  const serverHome = await prepareServerHome(stackHome, user);
  for (const name of readdirSync(serverHome)) {
    if (name.startsWith(prefix)) await clearIfAbandoned(join(serverHome, name));
  }
  const path = join(serverHome, `${prefix}${process.pid}-${randomBytes(3).toString('hex')}`);
  mkdirSync(join(path, 'servers'), { recursive: true });
  // A strict umask must not keep the server's user out.
  chmodSync(path, 0o755);
  writeFileSync(join(path, 'owner'), `${process.pid} ${await commandLineOf(process.pid)}`);
  return {
    path,
    serverHome,
    stackHome,
    user,
    recordServer: (pid) => writeFileSync(join(path, 'servers', String(pid)), ''),
    close: () => clear(path),
  };
};

const clearIfAbandoned = async (path: string): Promise<void> => {
  const file = join(path, 'owner');
  // Without the note the run is just starting, and a moment later it has one.
  if (!existsSync(file)) return;
  const [pid = '', ...words] = readFileSync(file, 'utf8').split(' ');
  const alive = (await commandLineOf(Number(pid))) === words.join(' ');
  if (!alive) await clear(path);
};

const clear = async (path: string): Promise<void> => {
  for (const name of readdirSync(path)) await stopPostgres(join(path, name));
  const servers = join(path, 'servers');
  for (const pid of existsSync(servers) ? readdirSync(servers) : []) {
    await stopProcess({ pid: Number(pid), mark: 'redis-server', graceMs: 2000 });
  }
  rmSync(path, { recursive: true, force: true });
};
