import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openOwnPostgres, type OwnPostgres } from '#test/support/own-postgres.ts';
import { rejectionCode } from '#test/support/rejection-code.ts';
import { createDatabase } from './index.ts';

/** A server that waits for a standby which is not there, as one does that is cut off from it. */
let server: OwnPostgres;
beforeAll(async () => {
  server = await openOwnPostgres();
});
afterAll(() => server.close());

const open = () => {
  const database = createDatabase({ url: server.url, poolSize: 1, applicationName: 'test' });
  onTestFinished(() => database.close());
  return database;
};

it('the service takes a commit that no standby has for unknown, whatever the server says', async () => {
  const { db, inTransaction } = open();
  await db.$executeRaw`CREATE TABLE note (id int)`;
  await server.set('synchronous_standby_names', 'somebody');
  try {
    await eventually(async () => {
      const [row] = await db.$queryRaw<{ names: string }[]>`
        SELECT current_setting('synchronous_standby_names') AS names`;
      return row?.names === 'somebody';
    });
    const transaction = inTransaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 300`;
      await tx.$executeRaw`INSERT INTO note VALUES (1)`;
    });
    expect(await rejectionCode(transaction)).toBe('SERVICE_UNAVAILABLE');
    await db.$executeRaw`SET statement_timeout = 300`;
    expect(await rejectionCode(db.$executeRaw`INSERT INTO note VALUES (2)`)).toBe(
      'SERVICE_UNAVAILABLE',
    );
  } finally {
    await server.set('synchronous_standby_names', '');
  }
  // The server has both. Whoever asks again finds them, or not, after a failover.
  expect(await open().db.$queryRaw`SELECT id FROM note ORDER BY id`).toEqual([
    { id: 1 },
    { id: 2 },
  ]);
});
