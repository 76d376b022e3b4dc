import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withConnection } from '../../dev/stack/database-setup.ts';
import {
  baselineMigration,
  deployMigrations,
  readStatus,
  resolveMigration,
} from '../../src/apps/migrate/deploy-migrations.ts';
import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import {
  listMigrations,
  listOnce,
  missingMigrations,
  prismaFolder,
} from '../../src/platform/db/migrations.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { emptyDatabase } from './empty-database.ts';

let fresh: FreshDatabase;
let app: Database;
const lines: string[] = [];
const log = (line: string): void => {
  lines.push(line);
};

beforeAll(async () => {
  fresh = await freshDatabase();
  app = createDatabase({ url: fresh.appUrl, poolSize: 2, applicationName: 'test' });
});
afterAll(async () => {
  await app.close();
  await fresh.drop();
});
beforeEach(async () => {
  lines.length = 0;
  await emptyDatabase(fresh.migrateUrl);
});

const tables = (): Promise<string[]> =>
  withConnection(fresh.migrateUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    return rows.map((row) => row.name);
  });

/** A copy of the package's folder with another migration. */
const folderWith = async (name: string, sql: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'dgs-migrations-'));
  await cp(prismaFolder(), folder, { recursive: true });
  await mkdir(join(folder, 'migrations', name));
  await writeFile(join(folder, 'migrations', name, 'migration.sql'), sql);
  return folder;
};

describe('a deployment', () => {
  it('makes everything from nothing, and then has nothing to do', async () => {
    const names = await listMigrations();
    expect(await deployMigrations({ url: fresh.migrateUrl, log })).toEqual(names);
    expect(lines).toEqual([...names.map((name) => `applied ${name}`), 'the schema is up to date']);
    expect(await tables()).toContain('gold_order');
    expect(await deployMigrations({ url: fresh.migrateUrl, log })).toEqual([]);
    expect(await readStatus({ url: fresh.migrateUrl })).toEqual({
      pending: [],
      failed: [],
      edited: [],
      unknown: [],
    });
  });

  it('that waits for a table lets others have those before it, and comes to its end', async () => {
    const url = fresh.migrateUrl;
    await deployMigrations({ url, log });
    const name = '29990101000000_two_tables';
    const folder = await folderWith(
      name,
      'ALTER TABLE gold_quote ADD COLUMN a INT; ALTER TABLE gold_order ADD COLUMN b INT',
    );
    await withConnection(url, async (holder) => {
      await holder.query('BEGIN; SELECT FROM gold_order');
      const deploying = deployMigrations({ url, log, folder });
      await eventually(() => lines.some((line) => line.includes('it is tried again')), {
        timeoutMs: 60_000,
      });
      await withConnection(url, async (reader) => {
        await reader.query('SELECT FROM gold_quote');
      });
      expect((await readStatus({ url, folder })).failed).toEqual([name]);
      await holder.query('COMMIT');
      expect(await deploying).toEqual([name]);
    });
    expect(await readStatus({ url, folder })).toMatchObject({ pending: [], failed: [] });
    await rm(folder, { recursive: true });
  });

  it('is done by one of three that run at once', async () => {
    const url = fresh.migrateUrl;
    const runs = await Promise.all([1, 2, 3].map(() => deployMigrations({ url, log })));
    expect(runs.toSorted((a, b) => b.length - a.length)).toEqual([await listMigrations(), [], []]);
  });

  it('stops at a migration that fails, and applies it again when it is repeated', async () => {
    const url = fresh.migrateUrl;
    const name = '29991231000000_bad';
    const folder = await folderWith(
      name,
      'CREATE TABLE half (id int);\nSELECT 1 / count(*) FROM gold_order;',
    );
    for (const _ of ['once', 'twice']) {
      await expect(deployMigrations({ url, folder, log })).rejects.toThrow(/division by zero/u);
      expect(await tables()).not.toContain('half');
      expect((await readStatus({ url, folder })).failed).toEqual([name]);
    }
    const script = join(folder, 'migrations', name, 'migration.sql');
    await writeFile(
      script,
      `CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$
      BEGIN PERFORM 1; RETURN 2; END $$; CREATE TABLE whole (id int);`,
    );
    expect(await deployMigrations({ url, folder, log })).toEqual([name]);
    expect(lines).toContain(`${name} began and did not end: it is applied again`);
    expect(await tables()).toContain('whole');
    expect((await readStatus({ url, folder })).failed).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('of an older build goes on beside a failed migration of a newer one', async () => {
    const url = fresh.migrateUrl;
    const name = '29991231000000_newer';
    const folder = await folderWith(name, 'SELECT 1 / 0;');
    await expect(deployMigrations({ url, folder, log })).rejects.toThrow(/division by zero/u);
    expect(await deployMigrations({ url, log })).toEqual([]);
    await resolveMigration({ url, folder }, name);
    expect((await readStatus({ url, folder })).failed).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('leaves only the record of a migration whose connection is lost on the way', async () => {
    const url = fresh.migrateUrl;
    const name = '29991231000000_cut_off';
    await deployMigrations({ url, log });
    const folder = await folderWith(
      name,
      'CREATE TABLE half (id int);\nSELECT pg_terminate_backend(pg_backend_pid());',
    );
    await expect(deployMigrations({ url, folder, log })).rejects.toThrow(/terminat/u);
    expect(await tables()).not.toContain('half');
    expect((await readStatus({ url, folder })).failed).toEqual([name]);
    await rm(folder, { recursive: true });
  });

  it('refuses to resolve a migration that did not fail', async () => {
    await deployMigrations({ url: fresh.migrateUrl, log });
    const [first = ''] = await listMigrations();
    const resolving = resolveMigration({ url: fresh.migrateUrl }, first);
    await expect(resolving).rejects.toThrow(`no failed migration is named ${first}`);
  });

  it('tells an edited migration and one of a newer build', async () => {
    const url = fresh.migrateUrl;
    const newer = await folderWith('29991231000000_newer', 'SELECT 1');
    await deployMigrations({ url, log, folder: newer });
    const folder = await folderWith('29991231000001_new', 'SELECT 1');
    const [first = ''] = await listMigrations();
    await writeFile(join(folder, 'migrations', first, 'migration.sql'), 'SELECT 2');
    expect(await readStatus({ url, folder })).toEqual({
      pending: ['29991231000001_new'],
      failed: [],
      edited: [first],
      unknown: ['29991231000000_newer'],
    });
    await rm(newer, { recursive: true });
    await rm(folder, { recursive: true });
  });
});

describe('recording a migration by hand', () => {
  it('applies nothing, and is done once', async () => {
    const url = fresh.migrateUrl;
    await deployMigrations({ url, log });
    const name = '29991231000000_by_hand';
    const folder = await folderWith(name, 'CREATE TABLE by_hand (id int)');
    await baselineMigration({ url, folder }, name);
    expect(await deployMigrations({ url, folder, log })).toEqual([]);
    expect(await tables()).not.toContain('by_hand');
    await expect(baselineMigration({ url, folder }, name)).rejects.toThrow('applied already');
    await expect(baselineMigration({ url, folder }, 'nothing')).rejects.toThrow('no migration');
    await rm(folder, { recursive: true });
  });
});

describe('readiness', () => {
  it('sees every migration missing from an empty database and none after a deployment', async () => {
    expect(await missingMigrations(app.db)).toEqual(await listMigrations());
    await deployMigrations({ url: fresh.migrateUrl, log });
    expect(await missingMigrations(app.db)).toEqual([]);
  });

  it('does not mind migrations of a newer build, and misses those of its own', async () => {
    await deployMigrations({ url: fresh.migrateUrl, log });
    const [first = ''] = await listMigrations();
    expect(await missingMigrations(app.db, [first])).toEqual([]);
    expect(await missingMigrations(app.db, [first, '29991231000000_new'])).toEqual([
      '29991231000000_new',
    ]);
  });

  it('does not wait for what a later build unpacks where this one runs', async () => {
    await deployMigrations({ url: fresh.migrateUrl, log });
    const folder = await folderWith('29991231000000_first', 'SELECT 1');
    const listOwn = listOnce(folder);
    const own = await listOwn();
    await mkdir(join(folder, 'migrations', '29991231000001_later'));
    expect(await missingMigrations(app.db, await listOwn())).toEqual(['29991231000000_first']);
    expect(await listOwn()).toEqual(own);
    await rm(folder, { recursive: true });
  });
});
