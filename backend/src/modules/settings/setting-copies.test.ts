import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { createGate } from '#test/support/gate.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createAdmins } from '../admins/index.ts';
import { createDatabase, type Database, type Db } from '../../platform/db/index.ts';
import { defineRoute, ok, PUBLIC } from '../../platform/http/index.ts';
import { createSettingCopies, createSettings } from './index.ts';

let system: TestSystem;
let other: Database;
let boss: MadeAdmin;
let replicas: readonly Caller[];

/** Serves both APIs of a replica with a pool of its own. */
const serveReplica = async (database: Database): Promise<Caller> => {
  const { db, inTransaction } = database;
  const own = { ...system, database, db, inTransaction };
  const settings = createSettings(own);
  const { guard } = createAdmins({ ...own, tokenTtlSeconds: 60 });
  const routes = [...settings.adminRoutes, ...settings.customerRoutes];
  return bearerCaller(await system.serve({ prefix: '/v1', routes, guard }), boss.token);
};

beforeAll(async () => {
  system = await openTestSystem();
  other = createDatabase({
    url: system.addresses.databaseUrl,
    poolSize: 5,
    applicationName: 'other',
  });
  boss = await createFactories(system).admin('SUPER_ADMIN');
  replicas = await Promise.all([system.database, other].map(serveReplica));
});

afterAll(async () => {
  await other.close();
  await system.close();
});

const [a, b] = [0, 1];
const on = (replica: number): Caller => {
  const call = replicas[replica];
  if (call === undefined) throw new Error(`no replica ${replica}`);
  return call;
};

const limitsOf = async (replica: number) => (await on(replica)('GET', '/config/limits')).body;

describe('a change by one replica', () => {
  it('applies to the very next request to the other replica', async () => {
    const limits = await limitsOf(a);
    for (let turn = 1; turn <= 6; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? [a, b] : [b, a];
      const body = { ...limits, minBuyPaise: 1000 + turn };
      expect((await on(writer)('PUT', '/config/limits', body)).status).toBe(200);
      expect((await limitsOf(reader))['minBuyPaise']).toBe(1000 + turn);
      expect((await limitsOf(writer))['minBuyPaise']).toBe(1000 + turn);

      const flag = { key: 'new_home', enabled: turn % 3 === 0 };
      await on(writer)('PUT', '/config/feature-flags', flag);
      const { body: flags } = await on(reader)('GET', '/config/feature-flags');
      expect(flags['items']).toMatchObject([flag]);

      const banner = { title: `Turn ${turn}`, active: turn % 4 !== 0 };
      await on(writer)('PUT', '/config/banners/turns', banner);
      const { body: live } = await on(reader)('GET', '/public/banners');
      expect(live['items']).toMatchObject(banner.active ? [banner] : []);
    }
  });

  it('applies even if it was made by a statement in the database', async () => {
    await on(b)('GET', '/config/limits');
    await withConnection(system.addresses.migrateUrl, (client) =>
      client.query('UPDATE limits_setting SET min_sell_paise = 4321'),
    );
    expect((await limitsOf(a))['minSellPaise']).toBe(4321);
    expect((await limitsOf(b))['minSellPaise']).toBe(4321);
  });

  it('is serialised, so that each audit row shows the replaced value', async () => {
    const limits = await limitsOf(a);
    const first = await system.db.auditLog.count();
    const puts = Array.from({ length: 12 }, (_, number) =>
      on(number % 2)('PUT', '/config/limits', { ...limits, maxSipPaise: 2_000_000 + number }),
    );
    // This is the first change of a new key, so no row exists yet that could be locked.
    const flags = Array.from({ length: 8 }, (_, number) =>
      on(number % 2)('PUT', '/config/feature-flags', { key: 'race', enabled: number % 3 === 0 }),
    );
    const answers = await Promise.all([...puts, ...flags]);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const rows = await system.db.auditLog.findMany({ orderBy: { seq: 'asc' }, skip: first });
    for (const [target, before] of [
      ['limits', limits],
      ['feature_flag', null],
    ] as const) {
      let known: unknown = before;
      const chain = rows.filter(({ targetType }) => targetType === target);
      expect(chain.length).toBe(target === 'limits' ? 12 : 8);
      for (const row of chain) {
        expect(row.before).toEqual(known);
        known = row.after;
      }
      const last = { limits: await limitsOf(b), feature_flag: known }[target];
      expect(known).toEqual(last);
    }
  });
});

/** Serves a route that uses two settings, before and after `between`, and counts statements. */
const serveUses = async (between: () => Promise<unknown>) => {
  const seen = { versions: 0 };
  const db: Db = new Proxy(system.db, {
    get(target, name) {
      if (name === '$queryRaw') seen.versions += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  const cacheSetting = createSettingCopies(db);
  const limits = cacheSetting('limits', (client) => client.limitsSetting.findFirst());
  const spreads = cacheSetting('spreads', (client) => client.priceConfig.findFirst());
  const use = async () => {
    const [found] = await Promise.all([limits(), spreads()]);
    return found?.minBuyPaise.toString();
  };
  const route = defineRoute({
    method: 'GET',
    path: '/uses',
    summary: 'Uses settings',
    tags: [],
    access: PUBLIC,
    responses: { 200: z.object({ before: z.string(), after: z.string() }) },
    async handler() {
      const before = await use();
      await between();
      return ok({ before, after: await use() });
    },
  });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  const call = bearerCaller(await system.serve({ prefix: '/v1', routes: [route], guard }), '');
  return { seen, use, uses: async () => (await call('GET', '/uses')).body };
};

describe('a use of a setting', () => {
  it('shares one read of the versions with concurrent uses', async () => {
    const { seen, use } = await serveUses(async () => {});
    await Promise.all(Array.from({ length: 20 }, use));
    // Uses that came during the read waited for the next read.
    expect(seen.versions).toBe(2);
    await use();
    expect(seen.versions).toBe(4);
  });

  it('sees every earlier change, even within a request', async () => {
    await system.db.$executeRaw`UPDATE limits_setting SET min_buy_paise = 1500`;
    const change = () => system.db.$executeRaw`UPDATE limits_setting SET min_buy_paise = 2500`;
    const { uses, use } = await serveUses(change);
    expect(await uses()).toMatchObject({ before: '1500', after: '2500' });
    await system.db.$executeRaw`UPDATE limits_setting SET min_buy_paise = 3500`;
    expect(await use()).toBe('3500');
  });
});

describe('a copy of a setting', () => {
  it('is read once for each version by concurrent uses', async () => {
    let reads = 0;
    const read = createSettingCopies(system.db)('limits', async () => (reads += 1));
    await Promise.all(Array.from({ length: 20 }, read));
    await read();
    expect(reads).toBe(1);
    await system.db.$executeRaw`UPDATE limits_setting SET min_sip_paise = 1001`;
    await Promise.all(Array.from({ length: 20 }, read));
    expect(reads).toBe(2);
  });

  it('is not used by later requests if a change came while it was read', async () => {
    const gate = createGate();
    let reads = 0;
    const read = createSettingCopies(system.db)('limits', async () => {
      reads += 1;
      const row = await system.db.limitsSetting.findUniqueOrThrow({ where: { id: 1 } });
      if (reads === 1) await gate.opened;
      return row.minBuyPaise;
    });
    const early = read();
    const slow = async () => reads;
    while ((await slow()) === 0) await system.db.$queryRaw`SELECT 1`;
    await system.db.$executeRaw`UPDATE limits_setting SET min_buy_paise = 7777`;
    const late = read();
    gate.open();
    expect(await late).toBe(7777n);
    await early;
    expect(await read()).toBe(7777n);
  });

  it('is read again after a failed read', async () => {
    let reads = 0;
    const read = createSettingCopies(system.db)('limits', async () => {
      reads += 1;
      if (reads === 1) throw new Error('no database');
      return reads;
    });
    await expect(read()).rejects.toThrow('no database');
    expect(await read()).toBe(2);
  });
});
