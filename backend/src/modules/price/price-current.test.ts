import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { forgePrice } from '#test/support/forge-price.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { makePrice } from '#test/support/prices.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { paise } from '../../money/index.ts';
import { createManualClock, type ManualClock } from '../../platform/clock/manual-clock.ts';
import { createAdmins } from '../admins/index.ts';
import { createPrice, createPriceAdminRoutes, type PriceModule } from './index.ts';
import { insertTick } from './price.store.ts';

let system: TestSystem;
let wall: ManualClock;
let ask: Caller;

beforeAll(async () => {
  wall = createManualClock();
  system = await openTestSystem({ wall });
});

afterAll(async () => system.close());

/** Opens a replica without a copy of a price. */
const serve = async (): Promise<{ price: PriceModule; ask: Caller }> => {
  const price = createPrice({ ...system, provider: system.makeProvider() });
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

/** Inserts a tick in place of the earlier one. */
const leaveTick = async (price: { buyPaise: number; asOf: Date }): Promise<void> => {
  const buyPaise = paise(BigInt(price.buyPaise));
  const tick = makePrice({ buyPaise, providerBuyPaise: buyPaise, asOf: price.asOf });
  await forgetTicks();
  await insertTick(system.db, system.random.uuid(), price.asOf, tick);
};

const forgetTicks = async (): Promise<void> => {
  await withConnection(system.addresses.migrateUrl, (client) =>
    client.query('TRUNCATE price_snapshot'),
  );
};

beforeEach(async () => {
  await control('DELETE', '/faults');
  await forgetTicks();
  await setPrice(741_000, 719_000, 730_000);
  ({ ask } = await serve());
});

const current = async (caller = ask) => caller('GET', '/price/current');

describe('GET /price/current', () => {
  it('returns the provider’s price without a credential', async () => {
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

  it('is the last tick of the feed, without a call to the provider', async () => {
    const before = await callsOf('buy-price');
    await leaveTick({ buyPaise: 741_000, asOf: wall.now() });
    for (const { ask: other } of [await serve(), await serve()]) {
      expect((await current(other)).body).toMatchObject({ buyPaise: 741_000 });
    }
    expect(await callsOf('buy-price')).toBe(before);
  });

  it('calls the provider once for twenty concurrent requests', async () => {
    const before = await callsOf('buy-price');
    const answers = await Promise.all(Array.from({ length: 20 }, () => current()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await callsOf('buy-price')) - before).toBe(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('is returned for 10 s after the provider fails, and then is 502', async () => {
    await current();
    await failing();
    wall.advance(9000);
    expect(await current()).toMatchObject({ status: 200 });
    wall.advance(1000);
    expect(await current()).toMatchObject({ status: 502, code: 'PRICE_UNAVAILABLE' });
    expect(await current((await serve()).ask)).toMatchObject({ status: 502 });
  });

  it('is not a tick that is old or of the future', async () => {
    const soon = new Date(wall.now().getTime() + 5000);
    for (const asOf of [new Date('2020-01-01'), soon, new Date('2999-01-01')]) {
      await leaveTick({ buyPaise: 500_000, asOf });
      expect((await current((await serve()).ask)).body).toMatchObject({ buyPaise: 741_000 });
    }
  });

  it('is not a price from Redis', async () => {
    await forgePrice(system.redis, { perGramPaise: 1, asOf: wall.now() });
    expect((await current((await serve()).ask)).body).toMatchObject({ buyPaise: 741_000 });
  });

  it('is fetched again if the provider refused its rate as expired', async () => {
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
  it('applies from the next price of the provider, rounded half up', async () => {
    const { boss, as } = await openAdmin();
    const set = await as(boss.token)('POST', '/price/config', {
      buySpreadBps: 125,
      sellSpreadBps: 75,
    });
    expect(set).toMatchObject({ status: 200, body: { buySpreadBps: 125, sellSpreadBps: 75 } });
    await setPrice(741_001, 719_001, 730_000);
    // 741001 x 1.0125 = 750263.51, and 719001 x 0.9925 = 713608.49
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

  it('can be read by super admins and admins, and set by super admins', async () => {
    const { callers } = await openAdmin();
    const spreads = { buySpreadBps: 0, sellSpreadBps: 0 };
    const reads = await Promise.all(callers.map((call) => call('GET', '/price/config')));
    const writes = await Promise.all(callers.map((call) => call('POST', '/price/config', spreads)));
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect(writes.map(({ status }) => status)).toEqual([200, 403, 403]);
    expect(reads[0]?.body).toEqual(spreads);
  });

  it('refuses invalid spreads, and changes nothing', async () => {
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
