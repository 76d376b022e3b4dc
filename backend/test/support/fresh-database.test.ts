import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { freshDatabase, type FreshDatabase } from './fresh-database.ts';

let one: FreshDatabase;
let two: FreshDatabase;

beforeAll(async () => {
  [one, two] = await Promise.all([freshDatabase(), freshDatabase()]);
});

afterAll(async () => {
  await Promise.all([one.drop(), two.drop()]);
});

const currentUser = (url: string): Promise<unknown> =>
  withConnection(url, async (client) => (await client.query('SELECT current_user AS me')).rows);

it("a test's database connects as the application and as the owner of the tables", async () => {
  expect(await currentUser(one.databaseUrl)).toEqual([{ me: 'dgs_app' }]);
  expect(await currentUser(one.migrateUrl)).toEqual([{ me: 'dgs_migrate' }]);
});

it("a test's database is migrated", async () => {
  const applied = await withConnection(one.migrateUrl, (client) =>
    client.query('SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL'),
  );
  expect(applied.rowCount).toBeGreaterThan(0);
});

it("a test's database keeps what one file writes from the other", async () => {
  await withConnection(one.migrateUrl, (client) =>
    client.query('CREATE TABLE only_in_one (a int)'),
  );
  const { rows } = await withConnection(two.migrateUrl, (client) =>
    client.query(`SELECT to_regclass('only_in_one') AS found`),
  );
  expect(rows).toEqual([{ found: null }]);
});

it("a test's database parts the Redis keys and channels too", async () => {
  const [first, second] = [new Redis(one.redisUrl), new Redis(two.redisUrl)];
  try {
    await first.set('key', 'of one');
    expect(await second.get('key')).toBeNull();
    expect(await second.dbsize()).toBe(0);
  } finally {
    first.disconnect();
    second.disconnect();
  }
});

it("a test's database has what the local stack is seeded with, when asked for", async () => {
  const seeded = await freshDatabase({ seeded: true });
  const admins = await withConnection(seeded.migrateUrl, (client) =>
    client.query('SELECT role FROM admin_user ORDER BY role'),
  );
  expect(admins.rows).toEqual([{ role: 'ADMIN' }, { role: 'SUPER_ADMIN' }, { role: 'SUPPORT' }]);
  const shown = await withConnection(seeded.migrateUrl, async (client) => ({
    bare: await client.query(
      `SELECT p.name FROM product p
       LEFT JOIN product_image i ON i.product_id = p.id AND i.status = 'CURRENT'
       WHERE i.id IS NULL OR p.image_key IS NULL OR p.description IS NULL`,
    ),
    sections: await client.query('SELECT DISTINCT section FROM legal_field WHERE verified'),
    texts: await client.query(`SELECT slug FROM policy_version WHERE verified AND body <> ''`),
  }));
  expect([shown.bare.rowCount, shown.sections.rowCount]).toEqual([0, 3]);
  expect(shown.texts.rows.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual([
    'grievances',
    'privacy',
    'refunds',
    'shipping',
    'terms',
  ]);
  await seeded.drop();
});
