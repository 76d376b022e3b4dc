import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onDatabase, withConnection } from '../../../dev/stack/database-setup.ts';
import { eventually } from '#test/support/eventually.ts';
import { openStandbyPair, type StandbyPair } from '#test/support/standby-pair.ts';
import { createDatabase, type Database } from './database.ts';
import { createReplicaReads, type ReadFrom, type StaleReads } from './read-replica.ts';
import { sql, type Sql } from './sql.ts';

/** The standby waits for no reader: whatever is in the way of its replay is ended at once. */
const impatient = ['max_standby_streaming_delay = 0', 'hot_standby_feedback = off'];

let pair: StandbyPair;
let primary: Database;
let replica: Database;
let reads: StaleReads;
let went: ReadFrom[] = [];
/** Moves the time that the lag is counted by. */
let aheadMs = 0;

const hour = 60 * 60_000;

const open = (url: string, isStandby: boolean): Database =>
  createDatabase({ url, poolSize: 3, applicationName: 'replica test', isStandby });

beforeAll(async () => {
  pair = await openStandbyPair(impatient);
  primary = open(pair.primary.databaseUrl, false);
  replica = open(pair.standby.databaseUrl, true);
  reads = createReplicaReads({
    primary,
    replica,
    onRead: (from) => went.push(from),
    now: () => performance.now() + aheadMs,
  });
}, hour);

afterAll(async () => {
  await reads.close();
  await primary.close();
  await pair.close();
}, hour);

const asAdministrator = <T extends object>(
  { adminUrl }: { readonly adminUrl: string },
  text: string,
): Promise<T[]> =>
  withConnection(onDatabase(adminUrl, 'digital_gold'), async (client) => {
    // The servers of tests do not wait for their log, so it could be written after the answer.
    await client.query('SET synchronous_commit = on');
    return (await client.query<T>(text)).rows;
  });

/** Returns what the primary has written and the standby has not replayed, in bytes of the log. */
const findLacking = async (): Promise<bigint> => {
  const at = `SELECT (pg_current_wal_lsn() - '0/0')::text AS position`;
  const got = `SELECT (pg_last_wal_replay_lsn() - '0/0')::text AS position`;
  const [written] = await asAdministrator<{ position: string }>(pair.primary, at);
  const [replayed] = await asAdministrator<{ position: string }>(pair.standby, got);
  return BigInt(written?.position ?? 0) - BigInt(replayed?.position ?? 0);
};

/** Waits until the standby has whatever was written so far, and the lag is known to be small. */
const untilItKeepsUp = () =>
  eventually(async () => {
    await reads.look();
    expect(reads.lagMs()).toBeLessThan(30_000);
    expect(await findLacking()).toBeLessThanOrEqual(0n);
  });

const countPrices = (db: Database['db']) => db.priceSnapshot.count();
const plant = (many: number) =>
  asAdministrator(
    pair.primary,
    `INSERT INTO price_snapshot (id, source, buy_paise, sell_paise, spot_paise, as_of, created_at)
     SELECT gen_random_uuid(), 'PROVIDER', 700000, 690000, 695000, now() - n * interval '1 second',
       now()
     FROM generate_series(1, ${many}) AS n`,
  );

/** Deletes the prices and cleans up after them, until the standby has ended who still read them. */
const removeUnderReaders = async (): Promise<void> => {
  await asAdministrator(pair.primary, 'DELETE FROM price_snapshot');
  await asAdministrator(pair.primary, 'VACUUM price_snapshot');
  await eventually(async () => {
    const [row] = await asAdministrator<{ conflicts: number }>(
      pair.standby,
      'SELECT sum(confl_snapshot)::int AS conflicts FROM pg_stat_database_conflicts',
    );
    expect(row?.conflicts).toBeGreaterThan(0);
  });
};

const isStandby: Sql = sql`SELECT pg_is_in_recovery()::text AS standby`;

const read = async (): Promise<string | null | undefined> =>
  reads.readSnapshot(
    async (snapshot) => (await snapshot.first(isStandby))?.[0],
    new AbortController().signal,
  );

describe('reads of what may be some seconds old', { timeout: hour }, () => {
  it('go to the standby while it keeps up, whatever way they are asked', async () => {
    await plant(100);
    await untilItKeepsUp();
    went = [];
    expect(await countPrices(reads.db)).toBe(100);
    const [row] = await reads.db.$queryRaw<{ standby: string }[]>(isStandby);
    expect(row).toEqual({ standby: 'true' });
    expect(await read()).toBe('true');
    const inOne = await reads.inTransaction((tx) => countPrices(tx), {
      isolation: 'RepeatableRead',
    });
    expect(inOne).toBe(100);
    expect(went).toEqual(['replica', 'replica', 'replica', 'replica']);
  });

  it('write nothing, on neither server', async () => {
    const id = '00000000-0000-7000-8000-000000000001';
    const row = { id, source: 'PROVIDER', asOf: new Date(), createdAt: new Date() };
    const data = { ...row, buyPaise: 1n, sellPaise: 1n, spotPaise: 1n };
    expect(() => reads.db.priceSnapshot.create({ data })).toThrow('only reads');
    expect(() => reads.db.$executeRaw`SELECT 1`).toThrow('only reads');
    const write = () => reads.inTransaction((tx) => tx.priceSnapshot.create({ data }));
    await expect(write()).rejects.toThrow(/read-only/u);
    // The last known lag is too old by then, so this one is the primary's.
    aheadMs += 60_000;
    await expect(write()).rejects.toThrow(/read-only/u);
    expect(await countPrices(primary.db)).toBe(100);
  });

  it('go to the primary while the standby is more than 30 s behind, and back after it', async () => {
    await untilItKeepsUp();
    await asAdministrator(pair.standby, 'SELECT pg_wal_replay_pause()');
    // It stops a moment after it was asked to.
    await eventually(async () => {
      const [row] = await asAdministrator<{ state: string }>(
        pair.standby,
        'SELECT pg_get_wal_replay_pause_state() AS state',
      );
      expect(row?.state).toBe('paused');
    });
    await plant(1);
    expect(await findLacking()).toBeGreaterThan(0n);
    await reads.look();
    aheadMs += 31_000;
    await reads.look();
    went = [];
    const [lagMs, counted] = [reads.lagMs(), await countPrices(reads.db)];
    await asAdministrator(pair.standby, 'SELECT pg_wal_replay_resume()');
    expect(lagMs).toBeGreaterThan(30_000);
    expect(counted).toBe(101);
    expect(went).toEqual(['primary']);
    await untilItKeepsUp();
    went = [];
    expect(await countPrices(reads.db)).toBe(101);
    expect(went).toEqual(['replica']);
  });

  it('that the standby ends for its replay are answered by the primary', async () => {
    await untilItKeepsUp();
    went = [];
    let removed: Promise<void> | undefined;
    const counted = await reads.inTransaction(
      async (tx) => {
        const before = await countPrices(tx);
        removed ??= removeUnderReaders();
        await removed;
        return { before, after: await countPrices(tx) };
      },
      { isolation: 'RepeatableRead', timeoutMs: hour },
    );
    expect(counted).toEqual({ before: 0, after: 0 });
    expect(went).toEqual(['retried']);
  });

  it('of a long file fail where it was begun, and the next one comes from the primary', async () => {
    await plant(20_000);
    await untilItKeepsUp();
    went = [];
    const signal = new AbortController().signal;
    const rowsOf = sql`SELECT id::text, repeat('x', 2000) FROM price_snapshot`;
    const long = reads.readSnapshot(async (snapshot) => {
      let rows = 0;
      for await (const batch of snapshot.batches(rowsOf, 100)) {
        if (rows === 0) {
          await asAdministrator(pair.primary, 'DELETE FROM price_snapshot');
          await asAdministrator(pair.primary, 'VACUUM price_snapshot');
          await untilItKeepsUp();
        }
        rows += batch.length;
      }
      return rows;
    }, signal);
    await expect(long).rejects.toThrow(/conflict with recovery|Connection terminated/u);
    expect(went).toEqual([]);
    expect(await read()).toBe('false');
    expect(went).toEqual(['primary']);
  });

  it('go to the primary while nobody knows how far behind the standby is', async () => {
    await pair.stopStandby();
    went = [];
    expect(await countPrices(reads.db)).toBe(0);
    const lost = createReplicaReads({ primary, replica, onRead: (from) => went.push(from) });
    expect(await countPrices(lost.db)).toBe(0);
    expect(went).toEqual(['retried', 'primary']);
    await pair.startStandby();
    await untilItKeepsUp();
  });
});
