import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setDefaultCACertificates, getCACertificates } from 'node:tls';
import { createObjectStore } from '../../src/adapters/object-store/create-object-store.ts';
import type { ObjectStore } from '../../src/adapters/object-store/port.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createLogger } from '../../src/platform/observability/index.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { runOrThrow } from '../../dev/stack/run-command.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startServer, waitUntilReady } from '../../dev/stack/start-server.ts';
import type { GroundDatabase, GroundPlace } from './ground.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const bin = '/usr/lib/postgresql/15/bin';
const versitygw = join(repository, '.tools', 'bin', 'versitygw');

/** Programs that have to be there, by the name under which each is installed. */
const programs = {
  pgbackrest: '/usr/bin/pgbackrest',
  'postgresql-15': join(bin, 'postgres'),
  'versitygw (make tools)': versitygw,
} as const;

/** Lists the programs that are missing for a backup. */
export const missingPrograms = (): string[] =>
  Object.entries(programs)
    .filter(([, path]) => {
      try {
        accessSync(path, constants.X_OK);
        return false;
      } catch {
        return true;
      }
    })
    .map(([name]) => name);

const credentials = { id: 'digital-gold', secret: 'dev-only-s3-secret-access-key' };
const administrator = { name: 'postgres', password: 'dev-only-postgres' };

/** A database whose every change goes to an S3, and that can be had again as of a moment. */
export interface BackedUpDatabase extends GroundDatabase {
  /** The second place of the keys, in a bucket beside the backups. */
  readonly keys: ObjectStore;
  backUp(): Promise<void>;
  /** Returns this moment by the server's own clock, as the restore takes it. */
  moment(): Promise<string>;
  /** Loses the server with all of its files, once its last changes have left it. */
  lose(): Promise<void>;
  /** Restores it as of a moment on a second server, which is backed up from then on. */
  restoreTo(moment: string): Promise<{ readonly adminUrl: string }>;
}

const adminOf = (port: number): string =>
  `postgresql://${administrator.name}:${administrator.password}@127.0.0.1:${port}/postgres`;

/** Makes an authority, and a certificate of it for this machine's own name. */
const makeCertificates = (folder: string) => {
  const of = (name: string): string => join(folder, name);
  const quiet = { stdio: 'ignore' } as const;
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const authority = ['-x509', '-subj', '/CN=backup authority', '-keyout', of('ca.key')];
  execFileSync('openssl', ['req', ...key, ...authority, '-out', of('ca.crt')], quiet);
  const request = ['-subj', '/CN=localhost', '-keyout', of('s3.key'), '-out', of('s3.csr')];
  execFileSync('openssl', ['req', ...key, ...request], quiet);
  writeFileSync(of('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signing = [
    'x509',
    '-req',
    '-in',
    of('s3.csr'),
    '-CA',
    of('ca.crt'),
    '-CAkey',
    of('ca.key'),
  ];
  signing.push('-CAcreateserial', '-days', '2', '-extfile', of('names'), '-out', of('s3.crt'));
  execFileSync('openssl', signing, quiet);
  return { authority: of('ca.crt'), certificate: of('s3.crt'), key: of('s3.key') };
};

interface ServerPlace {
  readonly data: string;
  readonly port: number;
}

interface Files {
  readonly folder: string;
  readonly logs: string;
  readonly port: number;
}

/** Starts an S3 over TLS with a bucket for backups and one for keys. */
const startS3 = async ({ folder, port }: Files) => {
  const files = makeCertificates(folder);
  const data = join(folder, 's3');
  for (const bucket of ['backups', 'keys']) mkdirSync(join(data, bucket), { recursive: true });
  const args = ['--port', `127.0.0.1:${port}`, '--health', '/health', '--quiet'];
  args.push('--cert', files.certificate, '--key', files.key, 'posix', data);
  const env = { ROOT_ACCESS_KEY: credentials.id, ROOT_SECRET_KEY: credentials.secret };
  const server = spawn(versitygw, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  process.once('exit', () => server.kill('SIGKILL'));
  setDefaultCACertificates([
    ...getCACertificates('default'),
    readFileSync(files.authority, 'utf8'),
  ]);
  const url = `https://localhost:${port}`;
  const isUp = async (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntilReady(isUp, 30_000))) throw new Error('the S3 did not start');
  return { server, url, authority: files.authority };
};

const keysIn = (url: string): ObjectStore =>
  createObjectStore(
    {
      APP_MODE: 'test',
      OBJECT_STORE: 's3',
      S3_BASE_URL: url,
      S3_BUCKET: 'keys',
      S3_ACCESS_KEY_ID: credentials.id,
      S3_SECRET_ACCESS_KEY: credentials.secret,
    },
    {
      clock: createSystemClock(),
      logger: createLogger({ level: 'silent', name: 'restore' }),
    },
  );

/** Returns the settings of pgBackRest, as the runbook has them. */
const settingsText = (
  { folder, logs }: Files,
  s3: { readonly port: number; readonly authority: string },
  postgres: ServerPlace,
): string => `[global]
repo1-type=s3
repo1-path=/gold
repo1-s3-bucket=backups
repo1-s3-endpoint=localhost
repo1-storage-port=${s3.port}
repo1-storage-ca-file=${s3.authority}
repo1-s3-region=us-east-1
repo1-s3-key=${credentials.id}
repo1-s3-key-secret=${credentials.secret}
repo1-s3-uri-style=path
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=dev-only-backup-passphrase
repo1-retention-full=2
start-fast=y
repo1-bundle=y
process-max=2
compress-level=1
log-path=${logs}
lock-path=${folder}/lock
spool-path=${folder}/spool
[gold]
pg1-path=${postgres.data}
pg1-port=${postgres.port}
pg1-socket-path=${folder}
pg1-user=${administrator.name}
`;

/** Keeps the files of a backed up server, and runs its programs as the servers' user. */
const createPlace = ({ serverHome, user, logs: ofServers }: GroundPlace, s3Port: number) => {
  const folder = join(serverHome, 'backup');
  const logs = join(folder, 'logs');
  rmSync(folder, { recursive: true, force: true });
  const own = (path: string, mode: number): void => {
    chmodSync(path, mode);
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  };
  for (const path of [folder, logs, join(folder, 'lock'), join(folder, 'spool')]) {
    mkdirSync(path, { recursive: true });
    own(path, 0o755);
  }
  const files = { folder, logs, port: s3Port };
  const env = { PATH: `${bin}:/usr/sbin:/usr/bin:/bin`, LC_ALL: 'C.UTF-8', HOME: folder };
  const asUser = { ...user, cwd: '/', env };
  return {
    files,
    ofServers,
    user,
    asUser,
    write: (name: string, text: string, mode: number): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      own(path, mode);
      return path;
    },
  };
};

type Place = ReturnType<typeof createPlace>;

/** Writes the settings of pgBackRest for a server, and returns their file. */
const writeSettings = (
  { files, write }: Place,
  s3: { readonly authority: string },
  at: ServerPlace,
): string => {
  const text = settingsText(files, { port: files.port, authority: s3.authority }, at);
  return write(`pgbackrest-${at.port}.conf`, text, 0o600);
};

const pgbackrest = ({ asUser }: Place, settings: string, ...args: readonly string[]) =>
  runOrThrow(programs.pgbackrest, [`--config=${settings}`, '--stanza=gold', ...args], asUser);

const initialise = async ({ asUser, write }: Place, data: string): Promise<void> => {
  const password = write('password', `${administrator.password}\n`, 0o600);
  const args = ['-D', data, '-U', administrator.name, `--pwfile=${password}`];
  args.push('--auth-host=scram-sha-256', '--auth-local=trust', '--encoding=UTF8');
  args.push('--locale=C', '--data-checksums');
  await runOrThrow(join(bin, 'initdb'), args, asUser);
};

/** Starts a server whose every change is archived, and waits until it takes writes. */
const start = async (place: Place, { data, port }: ServerPlace, settings: string) => {
  const { files, ofServers, user, asUser } = place;
  const push = `${programs.pgbackrest} --config=${settings} --stanza=gold archive-push %p`;
  const values = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: files.folder,
    max_connections: '200',
    timezone: 'UTC',
    archive_mode: 'on',
    archive_command: push,
    archive_timeout: '30',
  };
  const flags = Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const isReady = async (): Promise<boolean> =>
    withConnection(adminOf(port), async (client) => {
      const { rows } = await client.query<{ is: boolean }>('SELECT pg_is_in_recovery() AS is');
      return rows[0]?.is === false;
    }).catch(() => false);
  const { pid } = await startServer({
    name: 'PostgreSQL',
    command: join(bin, 'postgres'),
    args: ['-D', data, ...flags],
    logFile: join(ofServers, `postgres-${port}.log`),
    isReady,
    timeoutMs: 180_000,
    cwd: '/',
    env: asUser.env,
    user,
  });
  return pid;
};

/** Waits until the last change of a server has left it. */
const untilArchived = (port: number): Promise<void> =>
  withConnection(adminOf(port), async (client) => {
    const { rows } = await client.query<{ last: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS last',
    );
    const hasLeft = async (): Promise<boolean> => {
      const { rows: known } = await client.query<{ is: boolean }>(
        'SELECT last_archived_wal >= $1 AS is FROM pg_stat_archiver',
        [rows[0]?.last],
      );
      return known[0]?.is === true;
    };
    if (!(await waitUntilReady(hasLeft, 120_000))) throw new Error('nothing is archived');
  });

const momentOf = (port: number): Promise<string> =>
  withConnection(adminOf(port), async (client) => {
    const { rows } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return rows[0]?.now ?? '';
  });

/** Opens a server of Debian's PostgreSQL that pgBackRest backs up to an S3 over TLS. */
export const openBackedUp = async (
  ground: GroundPlace,
  s3Port: number,
): Promise<BackedUpDatabase> => {
  const place = createPlace(ground, s3Port);
  const { folder } = place.files;
  const s3 = await startS3(place.files);
  const first = { data: join(folder, 'first'), port: ground.port };
  const second = { data: join(folder, 'second'), port: ground.port + 2 };
  const running = new Map<string, number>();
  const serve = async (at: ServerPlace): Promise<void> => {
    running.set(at.data, await start(place, at, writeSettings(place, s3, at)));
  };
  const stop = async ({ data }: ServerPlace, signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const pid = running.get(data);
    running.delete(data);
    if (pid !== undefined) await stopProcess({ pid, mark: data, signal });
  };
  const run = (at: ServerPlace, ...args: readonly string[]) =>
    pgbackrest(place, writeSettings(place, s3, at), ...args);
  await initialise(place, first.data);
  await serve(first);
  await run(first, 'stanza-create');
  return {
    adminUrl: adminOf(first.port),
    keys: keysIn(s3.url),
    restart: () => Promise.reject(new Error('it is restored')),
    backUp: async () => void (await run(first, '--type=full', 'backup')),
    moment: () => momentOf(first.port),
    async lose() {
      await untilArchived(first.port);
      await stop(first, 'SIGKILL');
      rmSync(first.data, { recursive: true, force: true });
    },
    async restoreTo(moment) {
      const target = ['--type=time', `--target=${moment}`, '--target-action=promote'];
      await run(second, ...target, 'restore');
      await serve(second);
      await run(second, '--type=full', 'backup');
      return { adminUrl: adminOf(second.port) };
    },
    async close() {
      for (const at of [first, second]) await stop(at, 'SIGINT');
      s3.server.kill();
    },
  };
};
