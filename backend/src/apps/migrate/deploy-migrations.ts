import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger, makeWorkerUtils, type WorkerUtilsOptions } from 'graphile-worker';
import { Pool, type Client } from 'pg';
import { createTimers } from '../../platform/clock/timers.ts';
import { clientClassOf, createClient } from '../../platform/db/index.ts';
import { prismaFolder } from '../../platform/db/migrations.ts';
import {
  applyMigration,
  compareWithHistory,
  createHistory,
  markApplied,
  markRolledBack,
  readMigrations,
  recordBaselines,
  type Migration,
  type MigrationStatus,
} from './migration-history.ts';
import { setRoleDefaults } from './set-role-defaults.ts';

const silent = new Logger(() => () => {});
const timers = createTimers();

const runGrants = async (url: string, folder: string): Promise<void> => {
  const client = createClient({ connectionString: url });
  await client.connect();
  try {
    await client.query(await readFile(join(folder, 'queue', 'grants.sql'), 'utf8'));
  } finally {
    await client.end();
  }
};

/**
 * Updates the job queue's own schema to the library's version. Then it runs `queue/grants.sql` of
 * `folder`, which grants the application role its rights and creates the view of dead jobs. It may
 * be repeated.
 */
const installQueue = async (url: string, folder: string): Promise<void> => {
  const settings = { connectionString: url };
  const pgPool = new Pool({ ...settings, max: 2, Client: clientClassOf(settings) });
  pgPool.on('error', () => {});
  // The library has another version of the driver's types.
  const pool = pgPool as unknown as NonNullable<WorkerUtilsOptions['pgPool']>;
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent });
  try {
    await utils.migrate();
  } finally {
    await utils.release();
    await pgPool.end();
  }
  await runGrants(url, folder);
};

/** A database, and the `prisma` folder, which by default is the package's own. */
export interface MigrateTarget {
  /** A connection of the role that owns the schema. */
  readonly url: string;
  readonly folder?: string;
}

interface DeployOptions extends MigrateTarget {
  readonly log: (message: string) => void;
}

/** The id of Prisma's own lock, so that Prisma's command line and this one exclude each other. */
const migrationLock = 72_707_369;

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = createClient({ connectionString: url, keepAlive: true });
  client.on('error', () => {});
  await client.connect();
  try {
    // This is set here and not while connecting, in case a pooler drops connection settings.
    await client.query(`SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'`);
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Runs `work` under a lock. Any other deployment waits until this connection has ended. */
const withMigrationLock = <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> =>
  withClient(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    return work(client);
  });

/** Checks that the application's role exists, before a migration fails for lack of it. */
const requireApplicationRole = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query(`SELECT FROM pg_roles WHERE rolname = 'dgs_app'`);
  if (rowCount === 0) {
    throw new Error(
      'the role dgs_app does not exist; an administrator creates it once: ' +
        'CREATE ROLE dgs_app LOGIN PASSWORD ...',
    );
  }
};

const applyPending = async (
  client: Client,
  migrations: readonly Migration[],
  log: DeployOptions['log'],
): Promise<string[]> => {
  await createHistory(client);
  await recordBaselines(client, migrations, log);
  const { pending, failed } = await compareWithHistory(client, migrations);
  // A failed migration leaves only its record behind, so it is applied again.
  const retried = failed.filter((name) => migrations.some((migration) => migration.name === name));
  for (const name of retried) {
    await markRolledBack(client, name);
    log(`${name} began and did not end: it is applied again`);
  }
  const due = new Set([...pending, ...retried]);
  for (const migration of migrations.filter(({ name }) => due.has(name))) {
    await applyMigration(client, migration, { timers, log });
    log(`applied ${migration.name}`);
  }
  return [...due];
};

/**
 * Applies what the database lacks. In order, these are the roles' settings, our migrations, the
 * queue's migrations and the rights on the queue. Returns the names of our migrations that it
 * applied. Any number of deployments may run at once. One of them works, and the others wait and
 * find nothing to do. A failed migration leaves only its record behind, and the next deployment
 * applies it again. If a database has every migration that a baseline replaces, the baseline is
 * recorded and not run. The role dgs_app must exist.
 * @throws Error if the role is missing, the database has only some of the migrations that a
 * baseline replaces, or a migration fails
 */
export const deployMigrations = async (options: DeployOptions): Promise<string[]> => {
  const { url, log, folder = prismaFolder() } = options;
  const migrations = await readMigrations(folder);
  return withMigrationLock(url, async (client) => {
    await requireApplicationRole(client);
    await setRoleDefaults(client, log);
    const applied = await applyPending(client, migrations, log);
    await installQueue(url, folder);
    log(applied.length === 0 ? 'the schema was up to date' : 'the schema is up to date');
    return applied;
  });
};

/** Compares the files with the database's records. It changes nothing. */
export const readStatus = async ({
  url,
  folder = prismaFolder(),
}: MigrateTarget): Promise<MigrationStatus> => {
  const migrations = await readMigrations(folder);
  return withClient(url, (client) => compareWithHistory(client, migrations));
};

/** Records a failed migration as rolled back. @throws Error when no such migration failed */
export const resolveMigration = ({ url }: MigrateTarget, name: string): Promise<void> =>
  withMigrationLock(url, (client) => markRolledBack(client, name));

/** Records a migration as applied without running it. @throws Error as `markApplied` does */
export const baselineMigration = async (
  { url, folder = prismaFolder() }: MigrateTarget,
  name: string,
): Promise<void> => {
  const migrations = await readMigrations(folder);
  await withMigrationLock(url, (client) => markApplied(client, migrations, name));
};
