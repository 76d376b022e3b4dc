import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { applicationRole, asRole } from '../../../dev/stack/database-setup.ts';
import { openDroppingPooler } from '#test/support/dropping-pooler.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createSystemClock, msBetween } from '../clock/clock.ts';
import { toAppError } from '../http/error-middleware.ts';
import { createDatabase, type Database, WrongSessionError } from './index.ts';

const openFresh = async (): Promise<FreshDatabase> => {
  const fresh = await freshDatabase();
  onTestFinished(() => fresh.drop());
  return fresh;
};

const open = (url: string): Database => {
  const database = createDatabase({ url, poolSize: 1, applicationName: 'test' });
  onTestFinished(() => database.close());
  return database;
};

const openPooler = async (url: string): Promise<string> => {
  const pooler = await openDroppingPooler(url);
  onTestFinished(() => pooler.close());
  return pooler.url;
};

const run = async (url: string, ...statements: readonly string[]): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};

/** As a server in India may be set up, and one of another habit. */
const settle = ({ migrateUrl, name }: FreshDatabase): Promise<void> =>
  run(
    migrateUrl,
    `ALTER DATABASE "${name}" SET timezone = 'Asia/Kolkata'`,
    `ALTER DATABASE "${name}" SET datestyle = 'German'`,
  );

const readTimes = async ({ db }: Database) => {
  const at = createSystemClock().now();
  const [row] = await db.$queryRaw<{ ms: number; back: Date; now: Date; day: string }[]>`
    SELECT (extract(epoch FROM ${at}::timestamptz) * 1000)::float8 AS ms,
      ${at}::timestamptz AS back, now() AS now, date '2026-11-25'::text AS day`;
  const now = row?.now ?? new Date(0);
  return {
    isSame: row?.ms === at.getTime() && row.back.getTime() === at.getTime(),
    isNow: Math.abs(msBetween(at, now)) < 60_000,
    day: row?.day,
  };
};
const kept = { isSame: true, isNow: true, day: '2026-11-25' };

it("the pool keeps times and dates as they are, whatever the server's zone and style", async () => {
  const fresh = await openFresh();
  await settle(fresh);
  expect(await readTimes(open(fresh.databaseUrl))).toEqual(kept);
});

it('the pool keeps them behind a pooler that drops what a connection asks for', async () => {
  const fresh = await openFresh();
  await settle(fresh);
  expect(await readTimes(open(await openPooler(fresh.databaseUrl)))).toEqual(kept);
});

it('the pool uses no session whose zone is another one', async () => {
  const fresh = await openFresh();
  // The server itself: a pooler keeps sessions that began before a role was changed.
  const direct = asRole(fresh.migrateUrl, applicationRole);
  const ofRole = `ALTER ROLE dgs_app IN DATABASE "${fresh.name}"`;
  await run(direct, `${ofRole} SET timezone = 'Asia/Kolkata'`);
  const database = open(await openPooler(direct));
  await expect(database.connections.checkSession()).rejects.toThrow(WrongSessionError);
  const failure: unknown = await database.db.$queryRaw`SELECT 1`.catch((error: unknown) => error);
  expect(toAppError(failure).code).toBe('SERVICE_UNAVAILABLE');
  await run(direct, `${ofRole} RESET timezone`);
  expect(await database.db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});
