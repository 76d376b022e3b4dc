import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { makePrice } from '#test/support/prices.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createDatabase } from '../../platform/db/index.ts';
import { createMetrics } from '../../platform/observability/index.ts';
import { createAdmins } from '../admins/index.ts';
import { createPrice } from './index.ts';
import { insertTick } from './price.store.ts';
import { selectHistory } from './price-history.ts';

interface Row {
  readonly buyPaise: number;
  readonly at: string;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const spans = { '1d': dayMs, '1w': 7 * dayMs, '1m': 30 * dayMs, '1y': 365 * dayMs } as const;

let system: TestSystem;
let ask: Caller;
/** The time of the newest price. */
let newestPriceAt: number;

/** A price for every five minutes of the last 400 days, and for every 10 s of the last day. */
const insertPricesSql = `
  INSERT INTO price_snapshot (id, source, buy_paise, sell_paise, spot_paise, as_of, created_at)
  SELECT gen_random_uuid(), 'PROVIDER', 700000 + n, 690000, 695000, at, at
  FROM (
    SELECT n, now() - n * interval '5 minutes' AS at FROM generate_series(0, 115200) AS n
    UNION ALL
    SELECT n, now() - n * interval '10 seconds' FROM generate_series(1, 8640) AS n
  ) AS planted`;

beforeAll(async () => {
  system = await openTestSystem();
  await withConnection(system.addresses.migrateUrl, async (client) => {
    await client.query(insertPricesSql);
    await client.query('ANALYZE price_snapshot');
    const { rows } = await client.query<{ at: Date }>(
      'SELECT max(as_of) AS at FROM price_snapshot',
    );
    newestPriceAt = rows[0]?.at.getTime() ?? 0;
  });
  const { customerRoutes: routes } = createPrice({ ...system, provider: system.provider });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  ask = bearerCaller(await system.serve({ prefix: '/v1', routes, guard }));
});

afterAll(async () => system.close());

const history = async (range: string): Promise<Row[]> => {
  const { status, body } = await ask('GET', `/price/history?range=${range}`);
  expect(status).toBe(200);
  return body['items'] as Row[]; // its view
};

const timesOf = (rows: readonly Row[]): number[] => rows.map(({ at }) => Date.parse(at));

/** Returns how often the table and its index were scanned, and the entries read from the index. */
const statsOf = async () => {
  const [row] = await system.db.$queryRaw<{ seq: bigint; idx: bigint; read: bigint }[]>`
    SELECT t.seq_scan AS seq, i.idx_scan AS idx, i.idx_tup_read AS read
    FROM pg_stat_user_tables t JOIN pg_stat_user_indexes i USING (relid)
    WHERE t.relname = 'price_snapshot' AND i.indexrelname = 'price_snapshot_as_of_idx'`;
  return row ?? { seq: 0n, idx: 0n, read: 0n };
};

describe('the cost of a history', () => {
  it('depends on the response and not on the table, because an index is used', async () => {
    const { databaseUrl: url } = system.addresses;
    const before = await statsOf();
    const database = createDatabase({ url, poolSize: 1, applicationName: 'history' });
    const from = addMs(system.wall.now(), -spans['1y']);
    const rows = await selectHistory(database.db, from, spans['1y'] / 5000, 5000);
    await database.close();
    // A session reports its counts shortly after it has ended.
    const after = await eventually(async () => {
      const now = await statsOf();
      expect(now.idx - before.idx).toBeGreaterThanOrEqual(BigInt(rows.length));
      return now;
    });
    expect(rows.length).toBeGreaterThan(4990);
    expect(after.seq).toBe(before.seq);
    expect(after.read - before.read).toBeLessThan(15_000n);
  });
});

describe.each(Object.entries(spans))('%s', (range, spanMs) => {
  it('spans the whole range with at most 5000 rows, evenly, newest first', async () => {
    const times = timesOf(await history(range));
    const now = system.wall.now().getTime();
    expect(times.length).toBeLessThanOrEqual(5000);
    expect(times.length).toBeGreaterThan(1900);
    const [newest = 0, oldest = 0] = [times[0], times.at(-1)];
    const stepMs = Math.max(spanMs / 5000, range === '1d' ? 10_000 : 5 * minuteMs);
    expect(newestPriceAt - newest).toBeLessThan(2 * stepMs + minuteMs);
    expect(oldest).toBeGreaterThanOrEqual(now - spanMs - minuteMs);
    expect(oldest).toBeLessThan(now - spanMs + 2 * stepMs + minuteMs);
    const gaps = times.slice(1).map((time, index) => (times[index] ?? 0) - time);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * stepMs + minuteMs);
  });
});

/**
 * Opens the module alone, with a fixed clock and separate counters.
 */
const openCounted = async () => {
  const metrics = createMetrics({ service: 'test', collectsDefaults: false });
  const wall = createManualClock(system.wall.now());
  const { customerRoutes: routes } = createPrice({
    ...system,
    metrics,
    wall,
    provider: system.provider,
  });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  const call = bearerCaller(await system.serve({ prefix: '/v1', routes, guard }));
  return {
    wall,
    /** Returns the number of histories that were read from the database. */
    made: async (): Promise<number> => {
      const counts = (await metrics.text()).body.matchAll(
        /^price_histories_made_total\{.*\} (\d+)$/gmu,
      );
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    get: async (range: string) => {
      const { status, body } = await call('GET', `/price/history?range=${range}`);
      expect(status).toBe(200);
      return body['items'] as Row[]; // its view
    },
  };
};

describe('a history of prices', () => {
  it('is read once per range and tick for any number of requests', async () => {
    const counted = await openCounted();
    await Promise.all(Array.from({ length: 12 }, () => counted.get('1d')));
    const before = await counted.get('1d');
    expect(await counted.made()).toBe(1);
    await Promise.all([counted.get('1w'), counted.get('1w'), counted.get('1d')]);
    expect(await counted.made()).toBe(2);
    const asOf = counted.wall.now();
    const [buyPaise, sellPaise, spotPaise] = [paise(612_345n), paise(690_000n), paise(695_000n)];
    const price = makePrice({ asOf, buyPaise, sellPaise, spotPaise });
    await insertTick(system.db, system.random.uuid(), asOf, price);
    const [newest] = await counted.get('1d');
    expect(newest).toMatchObject({ buyPaise: 612_345, at: asOf.toISOString() });
    expect(newest).not.toEqual(before[0]);
    await counted.get('1d');
    expect(await counted.made()).toBe(3);
  });

  it('is read again while the feed has stopped, because its range moves on', async () => {
    const counted = await openCounted();
    await counted.get('1d');
    counted.wall.advance(19_000);
    await counted.get('1d');
    expect(await counted.made()).toBe(1);
    counted.wall.advance(2000);
    await counted.get('1d');
    expect(await counted.made()).toBe(2);
  });
});

describe('the response', () => {
  it('has the last price of each part, and the range', async () => {
    const { body } = await ask('GET', '/price/history');
    expect(body['range']).toBe('1d');
    const [first] = body['items'] as Row[];
    expect(first).toEqual({
      buyPaise: expect.any(Number),
      sellPaise: 690_000,
      spotPaise: 695_000,
      at: expect.stringMatching(/Z$/u),
    });
    expect(first?.buyPaise).toBeLessThanOrEqual(700_001);
  });

  it('leaves an operator’s MANUAL row out', async () => {
    const { random } = system;
    await withConnection(system.addresses.migrateUrl, async (client) => {
      await client.query(
        `INSERT INTO admin_user (id, email, password_hash, role, created_at, updated_at)
         VALUES ($1, 'a@example.test', 'x', 'SUPER_ADMIN', now(), now())`,
        [random.uuid()],
      );
      await client.query(
        `INSERT INTO price_snapshot (id, source, buy_paise, sell_paise, spot_paise,
           actor_id, as_of, created_at)
         SELECT $1, 'MANUAL', 1, 1, 1, id, now(), now() FROM admin_user`,
        [random.uuid()],
      );
    });
    const rows = await history('1d');
    expect(rows.some(({ buyPaise }) => buyPaise === 1)).toBe(false);
  });

  it.each(['2d', '1Y', '', '1y&range=1d', "1d'"])('refuses ?range=%s', async (range) => {
    const answer = await ask('GET', `/price/history?range=${range}`);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: 'range' });
  });
});
