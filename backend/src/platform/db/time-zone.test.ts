import { Client } from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase } from '#test/support/fresh-database.ts';
import { createSystemClock, msBetween } from '../clock/clock.ts';
import { createDatabase } from './database.ts';

it("keeps times as they are, whatever the server's time zone", async () => {
  const fresh = await freshDatabase();
  const owner = new Client({ connectionString: fresh.migrateUrl });
  await owner.connect();
  await owner.query(`ALTER DATABASE "${fresh.name}" SET timezone = 'Asia/Kolkata'`);
  await owner.end();
  const url = fresh.databaseUrl;
  const database = createDatabase({ url, poolSize: 1, applicationName: 'test' });
  const at = createSystemClock().now();
  const [row] = await database.db.$queryRaw<{ ms: number; back: Date; now: Date }[]>`
    SELECT (extract(epoch FROM ${at}::timestamptz) * 1000)::float8 AS ms,
      ${at}::timestamptz AS back, now() AS now`;
  expect(row?.ms).toBe(at.getTime());
  expect(row?.back).toEqual(at);
  expect(Math.abs(msBetween(at, row?.now ?? new Date(0)))).toBeLessThan(60_000);
  await database.close();
  await fresh.drop();
});
