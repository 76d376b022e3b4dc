import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';

const defaults = {
  minBuyPaise: 1000,
  maxBuyPaise: 20_000_000,
  dailyBuyPaise: 50_000_000,
  minSellPaise: 1000,
  maxSellPaise: 50_000_000,
  minSipPaise: 1000,
  maxSipPaise: 10_000_000,
  deliveryFeePaise: 9900,
  freeDeliveryFromPaise: 500_000,
  mandateMaxPaise: 1_500_000,
  maxOpenDeliveryPaise: 100_000_000,
};
const changed = { ...defaults, minBuyPaise: 5000, deliveryFeePaise: 0 };

let system: TestSystem;
let url: string;
let boss: MadeAdmin;
let admin: MadeAdmin;
let support: MadeAdmin;
let ask: Caller;

beforeAll(async () => {
  system = await openTestSystem();
  const make = createFactories(system);
  [boss, admin, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  ({ url } = await serveAdminApi(system));
  ask = bearerCaller(url, boss.token);
});

beforeEach(async () => {
  await ask('PUT', '/config/limits', defaults);
});

afterAll(async () => system.close());

const put = (body: unknown) => ask('PUT', '/config/limits', body);

describe('reading', () => {
  it('returns the limits in force to super admins and admins', async () => {
    const answers = await Promise.all(
      [boss.token, admin.token, support.token, undefined].map((token) =>
        bearerCaller(url, token)('GET', '/config/limits'),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401]);
    expect(answers[0]?.body).toEqual(defaults);
  });
});

describe('replacing', () => {
  it('accepts the whole object, and is audited with before and after', async () => {
    const answer = await put({ ...changed, surprise: true });
    expect(answer).toMatchObject({ status: 200, body: changed });
    const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({
      action: 'config.limits.replace',
      actorId: boss.adminId,
      before: defaults,
      after: changed,
    });
  });

  it('keeps the two limits that clients of the first versions do not send', async () => {
    const set = { ...defaults, mandateMaxPaise: 700_000, maxOpenDeliveryPaise: 0 };
    await put(set);
    const nine = { ...changed, mandateMaxPaise: undefined, maxOpenDeliveryPaise: undefined };
    const kept = { ...changed, mandateMaxPaise: 700_000, maxOpenDeliveryPaise: 0 };
    expect(await put(nine)).toMatchObject({ status: 200, body: kept });
    expect((await ask('GET', '/config/limits')).body).toEqual(kept);
    const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({ before: set, after: kept });
  });

  it('is for super admins', async () => {
    const answer = await bearerCaller(url, admin.token)('PUT', '/config/limits', changed);
    expect(answer).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect((await ask('GET', '/config/limits')).body).toEqual(defaults);
  });

  it.each([
    ['a minimum over its maximum', { minBuyPaise: 20_000_001 }, 'minBuyPaise'],
    ['a sell minimum over its maximum', { maxSellPaise: 999 }, 'minSellPaise'],
    ['a plan minimum over its maximum', { maxSipPaise: 999 }, 'minSipPaise'],
    ['a plan under ten rupees', { minSipPaise: 999 }, 'minSipPaise'],
    ['nothing as a minimum', { minBuyPaise: 0 }, 'minBuyPaise'],
    ['a negative fee', { deliveryFeePaise: -1 }, 'deliveryFeePaise'],
    ['a broken paisa', { minBuyPaise: 1000.5 }, 'minBuyPaise'],
    ['text', { minBuyPaise: '1000' }, 'minBuyPaise'],
    ['null', { dailyBuyPaise: null }, 'dailyBuyPaise'],
    ['a mandate of nothing', { mandateMaxPaise: 0 }, 'mandateMaxPaise'],
    ['less than nothing', { maxOpenDeliveryPaise: -1 }, 'maxOpenDeliveryPaise'],
    ['more than any limit', { dailyBuyPaise: 100_000_000_001 }, 'dailyBuyPaise'],
    ['more than an integer holds', { maxBuyPaise: 1e300 }, 'maxBuyPaise'],
    ['one missing', { freeDeliveryFromPaise: undefined }, 'freeDeliveryFromPaise'],
  ])('refuses %s, and changes nothing', async (_name, change, field) => {
    const answer = await put({ ...defaults, ...change });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    expect((await ask('GET', '/config/limits')).body).toEqual(defaults);
  });

  it('refuses an empty body and a list', async () => {
    expect(await put({})).toMatchObject({ status: 400 });
    expect(await put([defaults])).toMatchObject({ status: 400 });
  });

  it('leaves a whole object after two concurrent requests, each with its audit row', async () => {
    const before = await system.db.auditLog.count();
    const answers = await Promise.all([put(changed), put({ ...defaults, maxBuyPaise: 9_000_000 })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await system.db.auditLog.count()).toBe(before + 2);
    const { body } = await ask('GET', '/config/limits');
    expect([changed, { ...defaults, maxBuyPaise: 9_000_000 }]).toContainEqual(body);
    const [last] = await system.db.auditLog.findMany({ orderBy: { seq: 'desc' }, take: 1 });
    expect(last?.after).toEqual(body);
  });
});
