import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { freemem } from 'node:os';
import { stopPostgres } from '../../dev/stack/postgres-server.ts';
import { commandLineOf, stopProcess } from '../../dev/stack/process-control.ts';
import { findServerUser, prepareServerHome, type ServerUser } from '../../dev/stack/server-user.ts';

/** The folder of a test run's server files. */
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

const repository = join(import.meta.dirname, '..', '..', '..');
const memory = '/dev/shm';
/** Plenty: a run was seen to need half a gigabyte there at a time. */
const enoughBytes = 4 * 2 ** 30;

/** Returns whether a run's databases fit into the memory's file system, if there is one. */
const fitsInMemory = (): boolean => {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= enoughBytes && freemem() >= 2 * enoughBytes;
};

interface RunFolderOptions {
  /**
   * True for a folder in memory, if there is room. Each test file has a database, which is 850
   * files. On a disk, making and deleting them can take a fifth of the run's processor time.
   */
  readonly inMemory?: boolean;
}

/** Opens a folder for this run, and first clears what runs that were killed have left. */
export const openRunFolder = async (options: RunFolderOptions = {}): Promise<RunFolder> => {
  const stackHome = join(repository, '.dev');
  const user = await findServerUser();
  const serverHome = await prepareServerHome(stackHome, user);
  // Memory is shared by all clones: each clears its own runs only.
  const clone = createHash('sha256').update(repository).digest('hex').slice(0, 8);
  const [onDisk, inMemory] = [join(serverHome, 'test-run-'), join(memory, `dgs-${clone}-run-`)];
  for (const prefix of [onDisk, inMemory]) await clearAbandoned(prefix);
  const prefix = options.inMemory === true && fitsInMemory() ? inMemory : onDisk;
  const path = `${prefix}${process.pid}-${randomBytes(3).toString('hex')}`;
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

const clearAbandoned = async (prefix: string): Promise<void> => {
  const place = dirname(prefix);
  if (!existsSync(place)) return;
  for (const name of readdirSync(place)) {
    if (name.startsWith(basename(prefix))) await clearIfAbandoned(join(place, name));
  }
};

const clearIfAbandoned = async (path: string): Promise<void> => {
  const file = join(path, 'owner');
  // Without the note the run is just starting, and a moment later it has one.
  if (!existsSync(file)) return;
  try {
    const [pid = '', ...words] = readFileSync(file, 'utf8').split(' ');
    const alive = (await commandLineOf(Number(pid))) === words.join(' ');
    if (!alive) await clear(path);
  } catch (error) {
    // Another run that starts now may be clearing the same folder.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
};

const clear = async (path: string): Promise<void> => {
  for (const name of readdirSync(path)) await stopPostgres(join(path, name));
  const servers = join(path, 'servers');
  for (const pid of existsSync(servers) ? readdirSync(servers) : []) {
    for (const mark of ['redis-server', 'pgbouncer']) {
      await stopProcess({ pid: Number(pid), mark, graceMs: 2000 });
    }
  }
  rmSync(path, { recursive: true, force: true });
};
