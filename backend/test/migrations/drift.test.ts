import { afterAll, beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { wholeSchema, withEngine } from '../../dev/migrations/with-engine.ts';
import { createMigration } from '../../dev/migrations/create-migration.ts';
import { findDrift } from '../../dev/migrations/find-drift.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const owner = <T extends object>(sql: string): Promise<T[]> =>
  withConnection(fresh.migrateUrl, async (client) => (await client.query<T>(sql)).rows);

it('finds schema, migrations and database in step', async () => {
  expect(await findDrift({ url: fresh.migrateUrl })).toEqual({
    migrationsToSchema: undefined,
    databaseToSchema: undefined,
  });
});

it("leaves a history that Prisma's own engine finds in step", async () => {
  const found = await withEngine({ url: fresh.migrateUrl }, ({ engine, migrations }) =>
    engine.diagnoseMigrationHistory({
      migrationsList: migrations,
      optInToShadowDatabase: false,
      filters: wholeSchema,
    }),
  );
  expect(found).toMatchObject({
    history: null,
    failedMigrationNames: [],
    editedMigrationNames: [],
    hasMigrationsTable: true,
  });
});

it('has no migration to create', async () => {
  const clock = createManualClock();
  const options = { url: fresh.migrateUrl, name: 'nothing_new', clock };
  expect(await createMigration(options)).toBeUndefined();
  await expect(createMigration({ ...options, name: '../x' })).rejects.toThrow(/a migration is/u);
});

it('tells when the database was changed by hand, and touches nothing', async () => {
  await owner('ALTER TABLE holding ADD COLUMN hacked int');
  const drift = await findDrift({ url: fresh.migrateUrl });
  expect(drift.migrationsToSchema).toBeUndefined();
  expect(drift.databaseToSchema).toContain('hacked');
  expect(await owner(`SELECT hacked FROM holding`)).toEqual([]);
});

it('leaves no shadow database behind', async () => {
  // Another run's shadow may be there for a moment. Ours are those of this server's own role.
  await findDrift({ url: fresh.migrateUrl });
  const left = await owner(
    `SELECT d.datname FROM pg_database d WHERE d.datname LIKE 'prisma_shadow_%'
     AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = d.datname)`,
  );
  expect(left).toEqual([]);
});
