import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createRestartableRedis, type RestartableRedis } from '#test/support/restartable-redis.ts';
import { createManualClock, type ManualClock } from '../../platform/clock/manual-clock.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { untilReady } from '../../platform/redis/index.ts';
import { createAdmins } from '../admins/index.ts';
import { createSettingCopies } from '../settings/index.ts';
import { createPrice, createPriceAdminRoutes, type PriceModule } from './index.ts';
import { insertTick } from './price.store.ts';

let cache: RestartableRedis;
let system: TestSystem;
let wall: ManualClock;
let operators: readonly MadeAdmin[];

interface Replica {
  readonly price: PriceModule;
  readonly url: string;
  /** Calls the admin API as a super admin. */
  readonly ask: Caller;
}

/** Serves both APIs of a replica with separate copies of prices and spreads. */
const serve = async (): Promise<Replica> => {
  const price = createPrice({
    ...system,
    cacheSetting: createSettingCopies(system.db),
    provider: system.makeProvider(),
  });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 3600 });
  const routes = [
    ...price.customerRoutes,
    ...createPriceAdminRoutes({ ...system, fetchPrice: price.fetchPrice }),
  ];
  const url = await system.serve({ prefix: '/v1', routes, guard });
  return { price, url, ask: bearerCaller(url, operators[0]?.token) };
};

const setPrice = (buyPaise: number, sellPaise: number, spotPaise: number) =>
  system.sandbox.control('PUT', '/price', { buyPaise, sellPaise, spotPaise });

const statusesOf = async ({ url }: Replica, method: string, path: string, body?: unknown) => {
  const statuses: number[] = [];
  for (const { token } of operators) {
    statuses.push((await bearerCaller(url, token)(method, path, body)).status);
  }
  return [...statuses, (await createCaller(url)(method, path, body)).status];
};

const setSpreads = ({ ask }: Replica, buySpreadBps: number, sellSpreadBps: number) =>
  ask('POST', '/price/config', { buySpreadBps, sellSpreadBps });

beforeAll(async () => {
  cache = await createRestartableRedis();
  await cache.start();
  wall = createManualClock();
  system = await openTestSystem({ wall, redisUrl: cache.url });
  const make = createFactories(system);
  operators = [
    await make.admin('SUPER_ADMIN'),
    await make.admin('ADMIN'),
    await make.admin('SUPPORT'),
  ];
});

beforeEach(async () => {
  await system.sandbox.control('DELETE', '/faults');
  await setPrice(700_000, 680_000, 690_000);
});

afterAll(async () => {
  await system.close();
  await cache.close();
});

describe('new spreads', () => {
  it('apply to the next price on every replica, even if the replica has an old price', async () => {
    const [here, there] = [await serve(), await serve()];
    await here.price.live.livePrice();
    expect(await there.price.live.livePrice()).toMatchObject({ buyPaise: 700_000n });
    await setSpreads(here, 100, 50);
    const renewed = { buyPaise: 707_000n, sellPaise: 676_600n, providerBuyPaise: 700_000n };
    expect(await here.price.live.livePrice()).toMatchObject(renewed);
    expect(await there.price.live.livePrice()).toMatchObject(renewed);
    expect(await (await serve()).price.live.livePrice()).toMatchObject(renewed);
    expect((await there.ask('GET', '/price/current')).body).toMatchObject({ buyPaise: 707_000 });
    await setSpreads(there, 0, 0);
    expect(await here.price.live.livePrice()).toMatchObject({ buyPaise: 700_000n });
  });

  it('apply without Redis, and to an earlier tick', async () => {
    const [here, there] = [await serve(), await serve()];
    const old = await here.price.live.freshPrice();
    await insertTick(system.db, system.random.uuid(), wall.now(), old);
    await cache.stop();
    await setSpreads(here, 200, 0);
    expect(await there.price.live.livePrice()).toMatchObject({ buyPaise: 714_000n });
    await cache.start();
    await untilReady(system.redis, 30_000);
    expect(await (await serve()).price.live.livePrice()).toMatchObject({ buyPaise: 714_000n });
    expect(await here.price.live.livePrice()).toMatchObject({ buyPaise: 714_000n });
    await setSpreads(here, 0, 0);
  });
});

const countManual = () => system.db.priceSnapshot.count({ where: { source: 'MANUAL' } });

describe('POST /price/override', () => {
  const override = { buyPaise: 1, sellPaise: 2, spotPaise: 3, reason: 'Asha said so' };

  it('writes a MANUAL row and an audit row, returns 501, and changes no price', async () => {
    const replica = await serve();
    const { live } = replica.price;
    const mark = new Date('2026-11-22T10:00:00.000Z');
    const first = await insertTick(system.db, system.random.uuid(), mark, await live.livePrice());
    invariant(first, 'the mark has no other tick');
    const before = await replica.ask('GET', '/price/current');
    const answer = await replica.ask('POST', '/price/override', override);
    expect(answer).toMatchObject({ status: 501, code: 'NOT_IMPLEMENTED' });

    const [row, ...others] = await system.db.priceSnapshot.findMany({
      where: { source: 'MANUAL' },
    });
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      buyPaise: 1n,
      sellPaise: 2n,
      spotPaise: 3n,
      actorId: operators[0]?.adminId,
      mark: null,
      seq: null,
      providerBuyPaise: null,
    });
    const audit = await system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });
    expect(audit).toMatchObject({
      action: 'price.override',
      targetId: row?.id,
      after: { buyPaise: 1, sellPaise: 2, spotPaise: 3 },
    });
    expect(audit.sealed).not.toBeNull();
    expect(JSON.stringify({ ...audit, seq: 0 })).not.toContain('Asha');

    expect((await replica.ask('GET', '/price/current')).body).toEqual(before.body);
    expect(await live.livePrice()).toMatchObject({ buyPaise: 700_000n });
    const history = await (await serve()).ask('GET', '/price/history?range=1d');
    expect(JSON.stringify(history.body)).not.toContain('"buyPaise":1,');
    const next = new Date(mark.getTime() + 10_000);
    const seq = await insertTick(system.db, system.random.uuid(), next, await live.livePrice());
    expect(seq).toBe(first + 1);
  });

  it('is allowed only for super admins, and writes nothing for others or for an invalid body', async () => {
    const replica = await serve();
    const before = await countManual();
    expect(await statusesOf(replica, 'POST', '/price/override', override)).toEqual([
      501, 403, 403, 401,
    ]);
    for (const [field, value] of [
      ['buyPaise', 0],
      ['sellPaise', -1],
      ['spotPaise', 1.5],
      ['buyPaise', '700000'],
      ['buyPaise', 100_000_001],
      ['reason', ' '],
      ['reason', undefined],
    ] as const) {
      const body = { ...override, [field]: value };
      const answer = await replica.ask('POST', '/price/override', body);
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    }
    expect(await countManual()).toBe(before + 1);
  });
});

describe('GET /price/live', () => {
  it('is the provider’s current price without our spread, for every role', async () => {
    const replica = await serve();
    await setSpreads(replica, 300, 300);
    await replica.price.live.livePrice();
    await setPrice(710_000, 690_000, 700_000);
    expect((await replica.ask('GET', '/price/live')).body).toEqual({
      buyPaise: 710_000,
      sellPaise: 690_000,
      spotPaise: 700_000,
      currency: 'INR',
      unit: 'GRAM',
      source: 'PROVIDER',
      asOf: wall.now().toISOString(),
    });
    expect(await statusesOf(replica, 'GET', '/price/live')).toEqual([200, 200, 200, 401]);
    await setSpreads(replica, 0, 0);
  });

  it.each(['error', 'malformed', 'reset'])('is 502 if the provider answers %s', async (fault) => {
    const replica = await serve();
    await system.fault('safegold', '*', fault, { times: 20 });
    const answer = await replica.ask('GET', '/price/live');
    expect(answer).toMatchObject({ status: 502, code: 'PRICE_UNAVAILABLE' });
    expect(JSON.stringify(answer.body)).not.toMatch(/safegold/iu);
  });
});
