import { randomBytes } from 'node:crypto';
import {
  asRole,
  applicationRole,
  dropDatabase,
  migrateRole,
  onDatabase,
} from '../../dev/stack/database-setup.ts';
import { buildApps } from '../../build.ts';
import { startPgbouncer } from './pgbouncer.ts';
import { createTestRedis } from './test-redis.ts';
import { openRunFolder, type RunFolder } from './run-folder.ts';
import { cloneTemplate, ensureSeededTemplate, ensureTemplate } from './template-database.ts';
import { startTestPostgres } from './test-postgres.ts';

/** The addresses of a test file, which no other file gets until it releases them. */
interface DatabaseAddresses {
  readonly name: string;
  readonly databaseUrl: string;
  readonly migrateUrl: string;
  readonly redisUrl: string;
}

export interface TestServers {
  /** A new database, cloned from the migrated or the seeded template, and a separate Redis. */
  acquire(kind: 'empty' | 'seeded'): Promise<DatabaseAddresses>;
  release(name: string): Promise<void>;
  /** Builds a process of the service, once for the run. */
  build(app: string): Promise<void>;
  stop(): Promise<void>;
}

interface TestServersOptions {
  /** An administrator's connection to a running server, instead of an embedded one. */
  readonly adminUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /**
   * True to reach every database as the application through PgBouncer in transaction mode. An
   * embedded server behind it is set to Asia/Kolkata.
   */
  readonly isPooled?: boolean;
}

/** Runs work once, at the first call. A failure is kept too, so every caller gets it. */
const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
};

/** The servers of a test run. They start when they are first needed and stop with it. */
export const createTestServers = (options: TestServersOptions): TestServers => {
  let opened: RunFolder | undefined;
  const folder = once(async () => (opened = await openRunFolder({ inMemory: true })));
  const redis = createTestRedis({ folder, url: options.redisUrl });
  const built = new Map<string, Promise<void>>();
  // Through one place, so that no two builds of an app write the same file at once.
  const build = (app: string): Promise<void> => {
    const result = built.get(app) ?? buildApps([app]);
    built.set(app, result);
    return result;
  };
  const live = new Map<string, { readonly releaseRedis: () => Promise<void> }>();
  const admin = once(async () => {
    if (options.adminUrl !== undefined && options.adminUrl !== '') return options.adminUrl;
    return startTestPostgres(await folder(), options.isPooled === true ? 'Asia/Kolkata' : 'UTC');
  });
  const pooler = once(async () => {
    if (options.isPooled !== true) return undefined;
    const run = await folder();
    // Some tests hold half a hundred transactions at a time.
    const settings = { default_pool_size: '100' };
    const started = await startPgbouncer({
      serverUrl: await admin(),
      folder: run.path,
      settings,
    });
    run.recordServer(started.pid);
    return started;
  });
  const template = once(async () => {
    await build('migrate');
    return ensureTemplate(await admin());
  });
  const seededTemplate = once(async () => {
    const [source, own] = await Promise.all([template(), redis.acquire(), build('seed')]);
    const name = await ensureSeededTemplate(await admin(), source, own.url);
    await own.release();
    return name;
  });

  const release = async (name: string): Promise<void> => {
    const database = live.get(name);
    if (database === undefined) return;
    live.delete(name);
    await Promise.all([dropDatabase(await admin(), name), database.releaseRedis()]);
  };
  return {
    async acquire(kind) {
      const source = await (kind === 'seeded' ? seededTemplate() : template());
      const adminUrl = await admin();
      const name = `dgs_test_${randomBytes(8).toString('hex')}`;
      const [own] = await Promise.all([redis.acquire(), cloneTemplate(adminUrl, source, name)]);
      live.set(name, { releaseRedis: own.release });
      const url = onDatabase(adminUrl, name);
      const direct = asRole(url, applicationRole);
      return {
        name,
        databaseUrl: (await pooler())?.urlOf(direct) ?? direct,
        migrateUrl: asRole(url, migrateRole),
        redisUrl: own.url,
      };
    },
    release,
    build,
    async stop() {
      await Promise.all([...live.keys()].map(release));
      await opened?.close();
    },
  };
};
