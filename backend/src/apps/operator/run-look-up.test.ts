import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSystemClock } from '../../platform/clock/clock.ts';
import { createDatabase, type Database } from '../../platform/db/index.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { isLookUp, runLookUp } from './run-look-up.ts';
import { parseCommand } from './parse-command.ts';

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase({ seeded: true });
  const { databaseUrl: url } = fresh;
  database = createDatabase({ url, poolSize: 2, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const ask = (...line: readonly string[]) => {
  const command = parseCommand(line);
  if (!isLookUp(command)) throw new Error(`${line.join(' ')} is no look-up`);
  return runLookUp(command, {
    database,
    databaseUrl: fresh.databaseUrl,
    clock: createSystemClock(),
  });
};

const asOwner = (statement: string) =>
  withConnection(fresh.migrateUrl, (client) => client.query(statement));

it('the look-up tells how the database is set up', async () => {
  expect(await ask('database', 'status')).toMatchObject({
    readOnly: false,
    timeZone: 'UTC',
    connections: expect.any(Number),
    maxConnections: expect.any(Number),
  });
});

it('the look-up checks every rule of the database, and names a row that breaks one', async () => {
  const before = await ask('database', 'rules');
  expect(before).toMatchObject({ broken: [] });
  expect(Reflect.get(Object(before), 'rules')).toBeGreaterThan(20);
});

it('the look-up lists migrations that are missing, and those that failed with their reason', async () => {
  expect(await ask('migrate', 'status')).toEqual({ pending: [], failed: [] });
  await asOwner(`
    INSERT INTO _prisma_migrations (id, checksum, migration_name, logs)
    VALUES ('a', 'b', '29991231000000_newer', 'division by zero')`);
  expect(await ask('migrate', 'status')).toMatchObject({
    pending: [],
    failed: [{ name: '29991231000000_newer', reason: 'division by zero' }],
  });
});

it('the look-up counts values by the pepper or the key that they need', async () => {
  const { items } = (await ask('keys', 'status')) as {
    items: { kind: string; keyId: string | null; count: number }[]; // as asserted below
  };
  expect(items.filter(({ kind }) => kind === 'admin')).toEqual([
    { kind: 'admin', keyId: expect.stringMatching(/^\w+$/u), count: 3 },
  ]);
  await asOwner(`UPDATE admin_user SET password_hash = '$argon2id$old' WHERE role = 'SUPPORT'`);
  const later = await ask('keys', 'status');
  expect(later).toMatchObject({ coolDownsUntil: null });
  expect(JSON.stringify(later)).toContain('{"kind":"admin","keyId":null,"count":1}');
  expect(JSON.stringify(later)).not.toContain('argon2id');
});

it('the look-up lists ticks, overdue debits and the addresses of codes', async () => {
  expect(await ask('price', 'ticks')).toEqual({ items: [] });
  expect(await ask('debit', 'list')).toEqual({ items: [] });
  await asOwner(`
    INSERT INTO otp_send (id, phone_hash, purpose, address, sent_at)
    SELECT gen_random_uuid(), 'h', 'login', address, now()
    FROM unnest(ARRAY['192.0.2.1', '192.0.2.1', '192.0.2.2']) AS address`);
  expect(await ask('codes', 'addresses')).toEqual({
    items: [
      { address: '192.0.2.1', count: 2 },
      { address: '192.0.2.2', count: 1 },
    ],
  });
});

it('the look-up shows an entry of the audit chain with its row, and a row alone', async () => {
  await withConnection(fresh.databaseUrl, (client) =>
    client.query(`
      INSERT INTO audit_log (id, action, actor_api, actor_email, ip, at)
      VALUES (gen_random_uuid(), 'a.thing', 'admin', 'asha@example.test', '203.0.113.7', now())`),
  );
  const [last] = await database.db.auditChain.findMany({ orderBy: { number: 'desc' }, take: 1 });
  const entry = await ask('audit', 'entry', '--number', String(last?.number));
  expect(entry).toMatchObject({
    number: String(last?.number),
    hash: Buffer.from(last?.hash ?? []).toString('hex'),
    row: { id: last?.auditId, action: 'a.thing' },
  });
  const { rows } = await withConnection(fresh.databaseUrl, (client) =>
    client.query(`
      SELECT ('x' || lpad(left(encode(hash, 'hex'), 13), 16, '0'))::bit(64)::bigint::text AS metric
      FROM audit_chain ORDER BY number DESC LIMIT 1`),
  );
  expect(entry).toMatchObject(rows[0]);
  const row = await ask('audit', 'row', '--id', last?.auditId ?? '');
  expect(row).toMatchObject({ action: 'a.thing' });
  expect(JSON.stringify([entry, row])).not.toMatch(/asha|203\.0\.113/u);
  await expect(ask('audit', 'entry', '--number', '999999')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
