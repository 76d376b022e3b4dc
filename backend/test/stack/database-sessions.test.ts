import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applicationRole, asRole } from '../../dev/stack/database-setup.ts';
import { openDroppingPooler } from '#test/support/dropping-pooler.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTestStack, type TestStack } from '#test/support/test-stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await createTestStack({ seeded: false });
});

afterAll(() => stack.stop());

/** Connects as the owner of the tables. */
const connect = async (): Promise<Client> => {
  const client = new Client({ connectionString: stack.database.migrateUrl });
  await client.connect();
  return client;
};

it('a process refuses to start where a session of the database keeps another time', async () => {
  const { migrateUrl, name } = stack.database;
  // The server itself: a pooler keeps sessions that began before a role was changed.
  const direct = asRole(migrateUrl, applicationRole);
  const role = new Client({ connectionString: direct });
  await role.connect();
  const setting = `ALTER ROLE dgs_app IN DATABASE "${name}"`;
  await role.query(`${setting} SET timezone = 'Asia/Kolkata'`);
  const pooler = await openDroppingPooler(direct);
  try {
    for (const app of ['accounting', 'worker'] as const) {
      await expect(stack.start(app, { DATABASE_URL: pooler.url })).rejects.toThrow(
        /did not get ready:.*TimeZone Asia\/Kolkata/su,
      );
    }
  } finally {
    await role.query(`${setting} RESET timezone`);
    await role.end();
    await pooler.close();
  }
});

it('a process says that it is ready while every connection of its pool waits for a lock', async () => {
  const api = await stack.start('accounting', {
    DATABASE_POOL_SIZE: '1',
    DATABASE_LOCK_WAIT_MS: '20000',
  });
  const owner = await connect();
  await owner.query('BEGIN');
  await owner.query('LOCK TABLE portal_user IN ACCESS EXCLUSIVE MODE');
  const signIn = fetch(`${api.url}/api/v1/accounting/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'asha@example.test', password: 'a password long enough' }),
  });
  const waiting = `SELECT 1 FROM pg_locks
    WHERE NOT granted AND relation = 'portal_user'::regclass`;
  await eventually(async () => expect((await owner.query(waiting)).rowCount).toBe(1));
  const ready = await fetch(`${api.internalUrl}/readyz`);
  expect(ready.status).toBe(200);
  expect((await owner.query(waiting)).rowCount).toBe(1);
  await owner.query('ROLLBACK');
  await owner.end();
  expect((await signIn).status).toBe(401);
});
