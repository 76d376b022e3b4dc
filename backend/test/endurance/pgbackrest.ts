import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStore } from '../../src/adapters/object-store/port.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { runOrThrow } from '../../dev/stack/run-command.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startServer, waitUntilReady } from '../../dev/stack/start-server.ts';
import { openBackupStore, storeCredentials, versitygw, type BackupStore } from './backup-store.ts';
import type { GroundDatabase, GroundPlace } from './ground.ts';
import {
  administrator,
  adminOf,
  createServerFolder,
  missingOf,
  postgresPrograms as bin,
} from './own-servers.ts';

const pgbackrestProgram = '/usr/bin/pgbackrest';

/** Lists the missing programs of a backup. */
export const missingPrograms = (): string[] =>
  missingOf({
    pgbackrest: pgbackrestProgram,
    'postgresql-15': join(bin, 'postgres'),
    'versitygw (make tools)': versitygw,
  });

/** A database whose changes are archived to an S3, and which can be restored to any time. */
export interface BackedUpDatabase extends GroundDatabase {
  /** The second copy of the keys, in another bucket. */
  readonly keys: ObjectStore;
  backUp(): Promise<void>;
  /** Returns the server's present time, in the form for `restoreTo`. */
  moment(): Promise<string>;
  /** Kills the server and deletes its files, once its last changes are archived. */
  lose(): Promise<void>;
  /** Restores it to a time on a second server, which is then also backed up. */
  restoreTo(moment: string): Promise<{ readonly adminUrl: string }>;
}

interface ServerPlace {
  readonly data: string;
  readonly port: number;
}

/** Returns the settings of pgBackRest, as in the runbook. */
const settingsText = (
  folder: string,
  store: BackupStore,
  postgres: ServerPlace,
): string => `[global]
repo1-type=s3
repo1-path=/gold
repo1-s3-bucket=backups
repo1-s3-endpoint=localhost
repo1-storage-port=${store.port}
repo1-storage-ca-file=${store.authority}
repo1-s3-region=us-east-1
repo1-s3-key=${storeCredentials.id}
repo1-s3-key-secret=${storeCredentials.secret}
repo1-s3-uri-style=path
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=dev-only-backup-passphrase
repo1-retention-full=2
start-fast=y
repo1-bundle=y
process-max=2
compress-level=1
log-path=${folder}/logs
lock-path=${folder}/lock
spool-path=${folder}/spool
[gold]
pg1-path=${postgres.data}
pg1-port=${postgres.port}
pg1-socket-path=${folder}
pg1-user=${administrator.name}
`;

/** Creates the folders of the backed up servers. */
const createPlace = ({ serverHome, user, logs }: GroundPlace) => {
  const files = createServerFolder(join(serverHome, 'backup'), user);
  for (const name of ['logs', 'lock', 'spool']) files.makeFolder(name);
  return { ...files, logs, user };
};

type Place = ReturnType<typeof createPlace>;

/** Writes the settings of pgBackRest for a server, and returns the file's path. */
const writeSettings = ({ folder, write }: Place, store: BackupStore, at: ServerPlace): string =>
  write(`pgbackrest-${at.port}.conf`, settingsText(folder, store, at));

const pgbackrest = ({ asUser }: Place, settings: string, ...args: readonly string[]) =>
  runOrThrow(pgbackrestProgram, [`--config=${settings}`, '--stanza=gold', ...args], asUser);

const initialise = async ({ asUser, write }: Place, data: string): Promise<void> => {
  const password = write('password', `${administrator.password}\n`);
  const args = ['-D', data, '-U', administrator.name, `--pwfile=${password}`];
  args.push('--auth-host=scram-sha-256', '--auth-local=trust', '--encoding=UTF8');
  args.push('--locale=C', '--data-checksums');
  await runOrThrow(join(bin, 'initdb'), args, asUser);
};

/** Starts a server whose changes are archived, and waits until it accepts writes. */
const start = async (place: Place, { data, port }: ServerPlace, settings: string) => {
  const { folder, logs, user, asUser } = place;
  const push = `${pgbackrestProgram} --config=${settings} --stanza=gold archive-push %p`;
  const values = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
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
    logFile: join(logs, `postgres-${port}.log`),
    isReady,
    timeoutMs: 180_000,
    ...asUser,
    user,
  });
  return pid;
};

/** Waits until the last change of a server is archived. */
const untilArchived = (port: number): Promise<void> =>
  withConnection(adminOf(port), async (client) => {
    const { rows } = await client.query<{ last: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS last',
    );
    const isArchived = async (): Promise<boolean> => {
      const { rows: known } = await client.query<{ is: boolean }>(
        'SELECT last_archived_wal >= $1 AS is FROM pg_stat_archiver',
        [rows[0]?.last],
      );
      return known[0]?.is === true;
    };
    if (!(await waitUntilReady(isArchived, 120_000))) throw new Error('nothing is archived');
  });

const momentOf = (port: number): Promise<string> =>
  withConnection(adminOf(port), async (client) => {
    const { rows } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return rows[0]?.now ?? '';
  });

/** Opens a server of Debian's PostgreSQL that pgBackRest backs up to an S3 over TLS. */
export const openBackedUp = async (
  ground: GroundPlace,
  storePort: number,
): Promise<BackedUpDatabase> => {
  const place = createPlace(ground);
  const { folder } = place;
  const store = await openBackupStore(folder, storePort);
  const first = { data: join(folder, 'first'), port: ground.port };
  const second = { data: join(folder, 'second'), port: ground.port + 2 };
  const running = new Map<string, number>();
  const serve = async (at: ServerPlace): Promise<void> => {
    running.set(at.data, await start(place, at, writeSettings(place, store, at)));
  };
  const stop = async ({ data }: ServerPlace, signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const pid = running.get(data);
    running.delete(data);
    if (pid !== undefined) await stopProcess({ pid, mark: data, signal });
  };
  const run = (at: ServerPlace, ...args: readonly string[]) =>
    pgbackrest(place, writeSettings(place, store, at), ...args);
  await initialise(place, first.data);
  await serve(first);
  await run(first, 'stanza-create');
  return {
    adminUrl: adminOf(first.port),
    keys: store.keys,
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
      store.close();
    },
  };
};
