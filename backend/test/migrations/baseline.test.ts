import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { wholeSchema, withEngine } from '../../dev/migrations/with-engine.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { deployMigrations, readStatus } from '../../src/apps/migrate/deploy-migrations.ts';
import { readMigrations } from '../../src/apps/migrate/migration-history.ts';
import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import { missingMigrations, prismaFolder } from '../../src/platform/db/migrations.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { emptyDatabase } from './empty-database.ts';

let fresh: FreshDatabase;
let app: Database;
let baseline: string;
let replaced: readonly string[];
/** The migrations after the baseline. Their records stay where a test changes the history. */
let later: readonly string[];
const lines: string[] = [];
const log = (line: string): void => {
  lines.push(line);
};

beforeAll(async () => {
  const migrations = await readMigrations(prismaFolder());
  const found = migrations.find(({ replaces }) => replaces !== undefined);
  baseline = found?.name ?? '';
  replaced = found?.replaces?.migrations ?? [];
  later = migrations.map(({ name }) => name).filter((name) => name > baseline);
  fresh = await freshDatabase();
  app = createDatabase({ url: fresh.appUrl, poolSize: 2, applicationName: 'test' });
});
afterAll(async () => {
  await app.close();
  await fresh.drop();
});
beforeEach(async () => {
  await emptyDatabase(fresh.migrateUrl);
  await deployMigrations({ url: fresh.migrateUrl, log });
  lines.length = 0;
});

const history = (): Promise<string[]> =>
  withConnection(fresh.migrateUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations
       WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  });

/** Gives the database the history of an earlier build: the named migrations in place of the baseline. */
const recordOnly = (names: readonly string[]): Promise<void> =>
  withConnection(fresh.migrateUrl, async (client) => {
    await client.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [baseline]);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       SELECT gen_random_uuid(), 'of its own script', name, now() FROM unnest($1::text[]) AS name`,
      [names],
    );
  });

const deploy = (): Promise<string[]> => deployMigrations({ url: fresh.migrateUrl, log });
const inStep = { pending: [], failed: [], edited: [], unknown: [] };

it('is the oldest migration, and names the 89 that it replaces in their order', () => {
  expect(replaced).toHaveLength(89);
  expect(new Set(replaced).size).toBe(89);
  expect([...replaced, baseline]).toEqual([...replaced, baseline].toSorted());
});

it('is recorded and not run where every migration that it replaces is applied', async () => {
  await recordOnly(replaced);
  expect(await readStatus({ url: fresh.migrateUrl })).toEqual({ ...inStep, pending: [baseline] });
  expect(await missingMigrations(app.db)).toEqual([baseline]);
  expect(await deploy()).toEqual([]);
  expect(lines).toEqual([
    `${baseline} is recorded as applied: the database has the 89 migrations it replaces`,
    'the schema was up to date',
  ]);
  expect(await readStatus({ url: fresh.migrateUrl })).toEqual(inStep);
  expect(await missingMigrations(app.db)).toEqual([]);
});

it('keeps the records that it replaces, so that an earlier build stays ready beside it', async () => {
  await recordOnly(replaced);
  expect(await missingMigrations(app.db, replaced)).toEqual([]);
  await deploy();
  expect(await missingMigrations(app.db, replaced)).toEqual([]);
  expect(await history()).toEqual([...replaced, baseline, ...later]);
});

it('has nothing to do where it is recorded, with the records that it replaces or alone', async () => {
  expect(await deploy()).toEqual([]);
  expect(await history()).toEqual([baseline, ...later]);
  await recordOnly(replaced);
  await deploy();
  lines.length = 0;
  expect(await deploy()).toEqual([]);
  expect(lines).toEqual(['the schema was up to date']);
  expect(await history()).toEqual([...replaced, baseline, ...later]);
});

it("is recorded over the failed try of Prisma's own command line", async () => {
  await recordOnly(replaced);
  await withConnection(fresh.migrateUrl, (client) =>
    client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs)
       VALUES (gen_random_uuid(), 'of its script', $1, 'relation "app_user" already exists')`,
      [baseline],
    ),
  );
  expect(await deploy()).toEqual([]);
  expect(await readStatus({ url: fresh.migrateUrl })).toEqual(inStep);
});

it.each([
  ['the oldest', (names: readonly string[]) => names.slice(1)],
  ['one in the middle', (names: readonly string[]) => names.filter((_, at) => at !== 40)],
  ['the newest', (names: readonly string[]) => names.slice(0, -1)],
])('is refused where %s of the migrations that it replaces is missing', async (_, without) => {
  const known = without(replaced);
  const missing = replaced.find((name) => !known.includes(name));
  await recordOnly(known);
  await expect(deploy()).rejects.toThrow(
    `the database has 88 of the 89 migrations that ${baseline} replaces; ` +
      `the first it lacks is ${missing}. Nothing was changed. ` +
      'Deploy version 0.1.0 as of commit d3fa515c first, then this build',
  );
  expect(await history()).toEqual([...known, ...later]);
});

it('is refused where a migration that it replaces began and did not end', async () => {
  await recordOnly(replaced);
  await withConnection(fresh.migrateUrl, (client) =>
    client.query('UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1', [
      replaced.at(-1),
    ]),
  );
  await expect(deploy()).rejects.toThrow(`the first it lacks is ${replaced.at(-1)}`);
});

it("leaves a history to which Prisma's own engine has nothing to add", async () => {
  await recordOnly(replaced);
  await deploy();
  const { appliedMigrationNames } = await withEngine(
    { url: fresh.migrateUrl },
    ({ engine, migrations }) =>
      engine.applyMigrations({ migrationsList: migrations, filters: wholeSchema }),
  );
  expect(appliedMigrationNames).toEqual([]);
});
