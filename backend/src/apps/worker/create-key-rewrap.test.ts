import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { createVault, parseKeyring } from '../../platform/crypto/index.ts';
import { createDatabase, type Database } from '../../platform/db/index.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { createKeyRewrap } from './create-key-rewrap.ts';

const context = { purpose: 'test', column: 'test.column', row: '1' };
const random = createRandom();
const keyOf = (id: string): string => `${id}:${random.bytes(32).toString('base64')}`;
const [oldKey, newKey] = [keyOf('k1'), keyOf('k2')];

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = createDatabase({ url: fresh.databaseUrl, poolSize: 2, applicationName: 'test' });
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const insertUsers = (ids: readonly string[]) =>
  withConnection(fresh.migrateUrl, async (client) => {
    for (const [index, id] of ids.entries()) {
      await client.query(
        `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
         VALUES ($1, $2, $2, $2, now(), now())`,
        [id, `+91900000000${index}`],
      );
    }
  });

const keyIds = () =>
  withConnection(fresh.migrateUrl, async (client) => {
    const { rows } = await client.query<{ key_id: string }>('SELECT key_id FROM user_data_key');
    return rows.map(({ key_id: id }) => id);
  });

it('moves every data key to the first key of the ring, and what they sealed still opens', async () => {
  const userIds = [random.uuid(), random.uuid(), random.uuid()];
  await insertUsers(userIds);
  const before = createVault({ keyring: parseKeyring(oldKey) });
  const sealed = await Promise.all(
    userIds.map(async (id) => (await before.forUser(database.db, id)).seal(id, context)),
  );
  expect(await keyIds()).toEqual(['k1', 'k1', 'k1']);

  const during = createVault({ keyring: parseKeyring(`${newKey},${oldKey}`) });
  const { inTransaction } = database;
  const told: unknown[] = [];
  const logger = { info: (fields: unknown) => void told.push(fields) };
  const rewrap = createKeyRewrap({ vault: during, inTransaction, logger, batchSize: 2 });
  await rewrap(new AbortController().signal);
  expect(await keyIds()).toEqual(['k2', 'k2', 'k2']);
  expect(told).toEqual([{ count: 2 }, { count: 1 }]);

  const after = createVault({ keyring: parseKeyring(newKey) });
  for (const [index, id] of userIds.entries()) {
    const sealer = await after.forUser(database.db, id);
    expect(sealer.open(sealed[index] ?? '', context)).toBe(id);
  }
});
