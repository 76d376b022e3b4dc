import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { freePort } from '../../../dev/stack/free-port.ts';
import { createManualClock, type ManualClock } from '../../platform/clock/manual-clock.ts';
import { createRedis } from '../../platform/redis/index.ts';
import { createAdmins } from '../admins/index.ts';
import { createPrice, createPriceAdminRoutes, type PriceModule } from './index.ts';

let system: TestSystem;
let wall: ManualClock;
let ask: Caller;

beforeAll(async () => {
  wall = createManualClock();
  system = await openTestSystem({ wall });
});

afterAll(async () => system.close());

/** A replica that has just started. */
const serve = async (redis = system.redis): Promise<{ price: PriceModule; ask: Caller }> => {
  const price = createPrice({ ...system, redis, provider: system.makeProvider() });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  const url = await system.serve({ prefix: '/v1', routes: price.customerRoutes, guard });
  return { price, ask: bearerCaller(url) };
};

const control = (method: string, path: string, body?: unknown) =>
  system.sandbox.control(method, path, body);

const setPrice = (buyPaise: number, sellPaise: number, spotPaise: number) =>
  control('PUT', '/price', { buyPaise, sellPaise, spotPaise });

const failing = (fault = 'error') =>
  control('POST', '/faults', { collaborator: 'safegold', operation: '*', fault, times: 100 });

const callsOf = async (operation: string): Promise<number> => {
  const path = `/journal?collaborator=safegold&operation=${operation}`;
  const { body } = await control('GET', path);
  return (body['entries'] as unknown[]).length; // the control's own view
};

beforeEach(async () => {
  await control('DELETE', '/faults');
  await system.redis.flushall();
  await setPrice(741_000, 719_000, 730_000);
  ({ ask } = await serve());
});

const current = async (caller = ask) => caller('GET', '/price/current');

describe('GET /price/current', () => {
  it('answers the provider’s price, to anybody', async () => {
    const { status, body } = await current();
    expect(status).toBe(200);
    expect(body).toEqual({
      buyPaise: 741_000,
      sellPaise: 719_000,
      spotPaise: 730_000,
      currency: 'INR',
      unit: 'GRAM',
      source: 'PROVIDER',
      asOf: wall.now().toISOString(),
    });
  });

  it('is at most 10 s old', async () => {
    const first = await current();
    await setPrice(750_000, 720_000, 735_000);
    wall.advance(9999);
    expect((await current()).body).toEqual(first.body);
    wall.advance(1);
    expect((await current()).body).toMatchObject({ buyPaise: 750_000 });
  });

  it('is shared by the replicas through the cache', async () => {
    await current();
    const before = await callsOf('buy-price');
    const other = await serve();
    expect((await current(other.ask)).body).toMatchObject({ buyPaise: 741_000 });
    expect(await callsOf('buy-price')).toBe(before);
  });

  it('asks once for twenty at once', async () => {
    const before = await callsOf('buy-price');
    const answers = await Promise.all(Array.from({ length: 20 }, () => current()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await callsOf('buy-price')) - before).toBe(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('outlives the provider for 10 s, then says so', async () => {
    await current();
    await failing();
    wall.advance(9000);
    expect(await current()).toMatchObject({ status: 200 });
    wall.advance(1000);
    expect(await current()).toMatchObject({ status: 502, code: 'PRICE_UNAVAILABLE' });
    expect(await current((await serve()).ask)).toMatchObject({ status: 502 });
  });

  it('does not take an old, a future, a broken or another version’s entry for a price', async () => {
    await current();
    const entry = JSON.parse((await system.redis.get('price:live')) ?? '{}') as object;
    for (const text of ['', 'x', '{}', JSON.stringify({ ...entry, buyPaise: -1 })]) {
      await system.redis.set('price:live', text);
      const { ask: other } = await serve();
      expect(await current(other)).toMatchObject({ status: 200, body: { buyPaise: 741_000 } });
    }
    const soon = new Date(wall.now().getTime() + 5000).toISOString();
    for (const asOf of ['2020-01-01T00:00:00.000Z', soon, '2999-01-01T00:00:00.000Z']) {
      await system.redis.set('price:live', JSON.stringify({ ...entry, buyPaise: '1', asOf }));
      expect((await current((await serve()).ask)).body).toMatchObject({ buyPaise: 741_000 });
    }
  });

  it('does without the cache', async () => {
    const redis = createRedis(`redis://127.0.0.1:${await freePort()}`, 'fail-fast');
    const { ask: alone } = await serve(redis);
    expect(await current(alone)).toMatchObject({ status: 200 });
    await failing();
    expect(await current(alone)).toMatchObject({ status: 200 });
    wall.advance(10_000);
    expect(await current(alone)).toMatchObject({ status: 502 });
    redis.disconnect();
  });

  it('asks the provider anew when a rate was refused as lapsed', async () => {
    const { price } = await serve();
    const first = await price.live.livePrice();
    const fresh = await price.live.freshPrice();
    expect(fresh.buyRateId).not.toBe(first.buyRateId);
    expect((await price.live.livePrice()).buyRateId).toBe(fresh.buyRateId);
  });
});

const openAdmin = async () => {
  const make = createFactories(system);
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  const { fetchPrice } = createPrice({ ...system, provider: system.makeProvider() });
  const routes = createPriceAdminRoutes({ ...system, fetchPrice });
  const url = await system.serve({ prefix: '/v1', routes, guard });
  const [boss, admin, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  const as = (token: string) => bearerCaller(url, token);
  return { boss, as, callers: [boss, admin, support].map(({ token }) => as(token)) };
};

describe('/price/config', () => {
  it('holds from the next time the provider is asked, rounded half up', async () => {
    const { boss, as } = await openAdmin();
    const set = await as(boss.token)('POST', '/price/config', {
      buySpreadBps: 125,
      sellSpreadBps: 75,
    });
    expect(set).toMatchObject({ status: 200, body: { buySpreadBps: 125, sellSpreadBps: 75 } });
    await setPrice(741_001, 719_001, 730_000);
    // 741001 x 1.0125 = 750263.51; 719001 x 0.9925 = 713608.49
    expect((await current()).body).toMatchObject({
      buyPaise: 750_264,
      sellPaise: 713_608,
      spotPaise: 730_000,
    });
    const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({
      action: 'price.config.set',
      actorId: boss.adminId,
      before: { buySpreadBps: 0, sellSpreadBps: 0 },
      after: { buySpreadBps: 125, sellSpreadBps: 75 },
    });
    await as(boss.token)('POST', '/price/config', { buySpreadBps: 0, sellSpreadBps: 0 });
  });

  it('is read by super admins and admins, and set by super admins', async () => {
    const { callers } = await openAdmin();
    const spreads = { buySpreadBps: 0, sellSpreadBps: 0 };
    const reads = await Promise.all(callers.map((call) => call('GET', '/price/config')));
    const writes = await Promise.all(callers.map((call) => call('POST', '/price/config', spreads)));
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect(writes.map(({ status }) => status)).toEqual([200, 403, 403]);
    expect(reads[0]?.body).toEqual(spreads);
  });

  it('refuses spreads that are none, and changes nothing', async () => {
    const { boss, as } = await openAdmin();
    const call = as(boss.token);
    for (const wrong of [-1, 2501, 1.5, '10', null, undefined, 1e12]) {
      for (const field of ['buySpreadBps', 'sellSpreadBps']) {
        const body = { buySpreadBps: 1, sellSpreadBps: 1, [field]: wrong };
        expect(await call('POST', '/price/config', body)).toMatchObject({ status: 400, field });
      }
    }
    expect((await call('GET', '/price/config')).body).toMatchObject({ buySpreadBps: 0 });
  });
});
