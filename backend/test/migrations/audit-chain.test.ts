import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { deployMigrations } from '../../src/apps/migrate/deploy-migrations.ts';
import { verifyChain } from '../../src/modules/audit/index.ts';
import { createDatabase } from '../../src/platform/db/index.ts';
import { prismaFolder } from '../../src/platform/db/migrations.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { emptyDatabase } from './empty-database.ts';

const log = () => {};
let fresh: FreshDatabase;
let folder: string;

beforeAll(async () => {
  fresh = await freshDatabase();
  await emptyDatabase(fresh.migrateUrl);
  folder = await mkdtemp(join(tmpdir(), 'dgs-migrations-'));
  await cp(prismaFolder(), folder, { recursive: true });
  const names = (await readdir(join(folder, 'migrations'))).toSorted();
  const chain = names.findIndex((name) => name.endsWith('_audit_chain'));
  for (const name of names.slice(chain)) {
    if (/^\d/u.test(name)) await rm(join(folder, 'migrations', name), { recursive: true });
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await fresh.drop();
});

it('chains the rows of before in the order of writing, and goes on from them', async () => {
  await deployMigrations({ url: fresh.migrateUrl, folder, log });
  const write = (from: number, to: number) =>
    withConnection(fresh.appUrl, (client) =>
      client.query(
        `INSERT INTO audit_log (id, action, actor_api, actor_email, before, ip, at)
         SELECT gen_random_uuid(), 'action-' || n, 'admin', 'ä@example.test',
           jsonb_build_object('n', n, 'ü', 1.50), '203.0.113.7', now() - n * interval '1 hour'
         FROM generate_series(${from}, ${to}) AS n`,
      ),
    );
  await write(1, 2500);
  await deployMigrations({ url: fresh.migrateUrl, log });
  await write(2501, 2510);
  const database = createDatabase({
    url: fresh.appUrl,
    poolSize: 1,
    applicationName: 'test',
  });
  const report = await verifyChain(database.db);
  expect(report).toMatchObject({ findings: [], verified: 2510n, head: { number: 2510n } });
  const unordered = await database.db.$queryRaw`
    SELECT number FROM audit_chain JOIN audit_log ON id = audit_id WHERE action <> 'action-' || number`;
  expect(unordered).toEqual([]);
  await database.close();
});
