import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { preparePostgresBinaries } from './postgres-binaries.ts';
import { isProcess, stopProcess } from './process-control.ts';
import { runOrThrow } from './run-command.ts';
import type { ServerUser } from './server-user.ts';
import { startServer, waitUntilReady } from './start-server.ts';

/** The administrator of an embedded server. It listens on loopback only. */
const administrator = 'postgres';
const administratorPassword = 'dev-only-postgres';

/** A part of PostgreSQL's own message for data that another server still uses. */
const memoryInUse = 'pre-existing shared memory block';

const timers = createTimers();

interface PostgresOptions {
  /** The folder of the binaries. The server's user must be able to enter it. */
  readonly home: string;
  /**
   * The data's folder, inside a place that the server's user may enter. It is made when missing.
   */
  readonly data: string;
  readonly port: number;
  readonly logFile: string;
  readonly user: ServerUser | undefined;
  /** False only for tests, whose data may be lost, so that they need not wait for the disk. */
  readonly durable: boolean;
  /** The server's own time zone (default UTC). */
  readonly timezone?: string;
  /**
   * A folder that the server's user may write to, for an additional Unix socket. Without it, there
   * is no socket.
   */
  readonly sockets?: string;
}

interface PostgresServer {
  /** Connects as the administrator, who may create roles and databases. */
  readonly adminUrl: string;
  readonly pid: number;
}

/** Returns the address of an embedded server's administrator. */
export const adminUrlOf = (port: number): string =>
  `postgresql://${administrator}:${administratorPassword}@127.0.0.1:${port}/postgres`;

const initialise = async (binaries: string, options: PostgresOptions): Promise<void> => {
  const { data, user } = options;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  const passwordFile = `${data}.password`;
  writeFileSync(passwordFile, `${administratorPassword}\n`);
  // The server's user must be able to read the file, even with a strict umask. The password is
  // published anyway.
  chmodSync(passwordFile, 0o644);
  const args = ['-D', data, '-U', administrator, '--auth=scram-sha-256'];
  args.push(`--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C', '--no-instructions');
  // Every connection pays for the passwords' hash, which tests open by the thousand.
  if (!options.durable) args.push('--no-sync', '-c', 'scram_iterations=1');
  try {
    await runOrThrow(join(binaries, 'bin', 'initdb'), args, { ...user, cwd: '/' });
  } catch (error) {
    rmSync(data, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
};

const unsafeSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
};

const serverArguments = (options: PostgresOptions): string[] => {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: options.sockets ?? '',
    max_connections: '300',
    timezone: options.timezone ?? 'UTC',
    log_timezone: 'UTC',
    ...(options.durable ? {} : unsafeSettings),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', options.data, ...flags];
};

interface LockFile {
  readonly pid: number;
  readonly port: number;
  /** The pid once the server takes connections. */
  readonly readyPid: number | undefined;
}

/** Reads the lock file of a data folder's server, which may have crashed since. */
const readLockFile = (data: string): LockFile | undefined => {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return { pid, port, readyPid: lines[7]?.trim() === 'ready' ? pid : undefined };
};

/** Returns the process that serves a data folder, or undefined if there is none. */
export const findPostgres = async (data: string): Promise<LockFile | undefined> => {
  const found = readLockFile(data);
  return found !== undefined && (await isProcess(found.pid, data)) ? found : undefined;
};

/**
 * Starts a server as soon as the one before it has left the data. The children of a server that
 * was killed hold its shared memory until they notice, which takes a moment on a busy machine.
 */
const onceMemoryIsFree = async <T>(start: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isHeld = error instanceof Error && error.message.includes(memoryInUse);
      if (!isHeld || performance.now() > deadline) throw error;
    }
    await timers.sleep(100);
  }
};

/**
 * Starts the embedded PostgreSQL on a data folder and waits until it answers. A missing folder is
 * created first. A server that already serves the folder is used unchanged.
 * @throws Error with the end of the server's log if it does not start.
 */
export const startPostgres = async (options: PostgresOptions): Promise<PostgresServer> => {
  const binaries = preparePostgresBinaries(options.home);
  const running = await findPostgres(options.data);
  if (running !== undefined) {
    await waitUntilReady(() => answers(adminUrlOf(running.port)), startTimeoutMs);
    return { adminUrl: adminUrlOf(running.port), pid: running.pid };
  }
  if (!existsSync(join(options.data, 'PG_VERSION'))) await initialise(binaries, options);
  // A crash leaves this file. Its pid may belong to another program by now, and the server would
  // then refuse to start.
  rmSync(join(options.data, 'postmaster.pid'), { force: true });
  const adminUrl = adminUrlOf(options.port);
  const { pid } = await onceMemoryIsFree(() =>
    startServer({
      name: 'PostgreSQL',
      command: join(binaries, 'bin', 'postgres'),
      args: serverArguments(options),
      logFile: options.logFile,
      isReady: async (pid) => readLockFile(options.data)?.readyPid === pid,
      timeoutMs: startTimeoutMs,
      cwd: '/',
      user: options.user,
    }),
  );
  return { adminUrl, pid };
};

const startTimeoutMs = 60_000;

/** Returns whether a database accepts connections. A server that is starting drops them. */
const answers = async (url: string): Promise<boolean> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

/**
 * Stops the server of a data folder, and ends the connections of its clients. Returns false when
 * none served it. SIGINT is PostgreSQL's fast shutdown: nothing is lost, and it does not wait for
 * clients. SIGQUIT is its crash.
 */
export const stopPostgres = async (
  data: string,
  signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT',
): Promise<boolean> => {
  const running = await findPostgres(data);
  return running !== undefined && stopProcess({ pid: running.pid, mark: data, signal });
};
