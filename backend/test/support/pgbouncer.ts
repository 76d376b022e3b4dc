import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { applicationRole } from '../../dev/stack/database-setup.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { findServerUser } from '../../dev/stack/server-user.ts';
import { startServer } from '../../dev/stack/start-server.ts';
import { hasListener } from './has-listener.ts';

/** The page whose settings are run here, so that they are what was tried. */
const page = join(import.meta.dirname, '..', '..', 'docs', 'scale.md');

const places = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'];

/** Returns the path of PgBouncer, or undefined if it is not installed. */
const findPgbouncer = (): string | undefined =>
  places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

interface PgbouncerOptions {
  /** The server behind it, as anybody. */
  readonly serverUrl: string;
  /** A folder for its files, which the servers' user may enter. */
  readonly folder: string;
  /** Settings in place of the page's. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Pgbouncer {
  /** Returns the address of the same database and role by way of the pooler. */
  urlOf(url: string): string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Returns the page's settings, some of them replaced. */
const settingsOf = (changes: Readonly<Record<string, string>>): string => {
  const [, text = ''] = /```ini\n([\s\S]*?)```/u.exec(readFileSync(page, 'utf8')) ?? [];
  const left = new Map(Object.entries(changes));
  const lines = text.split('\n').map((line) => {
    const [name = ''] = line.split(' = ');
    const value = left.get(name.replace(/ =$/u, ''));
    if (value === undefined) return line;
    left.delete(name);
    return `${name} = ${value}`;
  });
  return [...lines, ...[...left].map(([name, value]) => `${name} = ${value}`)].join('\n');
};

/** Starts PgBouncer before a server, on loopback and without TLS, else as the page has it. */
export const startPgbouncer = async (options: PgbouncerOptions): Promise<Pgbouncer> => {
  const command = findPgbouncer();
  if (command === undefined) throw new Error('pgbouncer is not installed');
  const { hostname, port: serverPort, searchParams } = new URL(options.serverUrl);
  const port = await freePort();
  const user = await findServerUser();
  const folder = join(options.folder, `pgbouncer-${port}`);
  mkdirSync(folder, { recursive: true });
  const [file, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'userlist.txt')];
  writeFileSync(users, `"${applicationRole.name}" "${applicationRole.password}"\n`);
  const server = `host=${searchParams.get('host') ?? hostname} port=${serverPort || '5432'}`;
  const off = { client_tls_sslmode: 'disable', server_tls_sslmode: 'disable' };
  const own = { listen_addr: '127.0.0.1', listen_port: String(port), auth_file: users };
  const files = { client_tls_key_file: '', client_tls_cert_file: '', server_tls_ca_file: '' };
  const settings = { '*': server, ...off, ...files, ...own, ...options.settings };
  writeFileSync(file, settingsOf(settings));
  chmodSync(folder, 0o755);
  if (user !== undefined)
    for (const path of [folder, file, users]) chownSync(path, user.uid, user.gid);
  const { pid } = await startServer({
    name: 'PgBouncer',
    command,
    args: [file],
    logFile: join(folder, 'pgbouncer.log'),
    isReady: () => hasListener(port),
    timeoutMs: 60_000,
    cwd: '/',
    user,
  });
  return {
    urlOf(url) {
      const address = new URL(url);
      address.searchParams.delete('host');
      address.hostname = '127.0.0.1';
      address.port = String(port);
      address.searchParams.set('pgbouncer', 'true');
      return address.href;
    },
    pid,
    stop: async () => {
      await stopProcess({ pid, mark: file, graceMs: 2000 });
    },
  };
};
