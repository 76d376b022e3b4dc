import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openServices } from '#test/support/open-services.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createSeveralGateways } from '#test/support/several-gateways.ts';
import { readOf, sql } from '../../platform/db/index.ts';
import type { Services } from '../../runtime/create-services.ts';
import { createAdmins } from '../admins/index.ts';
import { checkPaymentGateways, createReadinessCustomerRoutes } from '../readiness/index.ts';
import { listUsableGateways } from './choose-gateway.ts';
import { createGatewayAdminRoutes } from './index.ts';
import type { GatewayView } from './gateways.schemas.ts';

const codes = ['cashfree', 'razorpay', 'sandbox'];

let system: TestSystem;
let services: Services;
let url: string;
let superAdmin: MadeAdmin;
let admin: MadeAdmin;
let support: MadeAdmin;
let ask: Caller;
let customerUrls: string[];

const isOpen = async () => true;
const requireOpen = async () => {};
const gates = {
  isBuyOpen: isOpen,
  isSellOpen: isOpen,
  readBuyEvidence: () => readOf(sql`SELECT 1 AS good`, () => true),
  requireBuyOpen: requireOpen,
  requireSellOpen: requireOpen,
};

/** Opens another customer app, whose readiness depends on the choice of a gateway. */
const serveCustomerApp = (): Promise<string> => {
  const deps = { db: system.db, gateways: services.gateways, liveOnly: true };
  const hasUsableGateway = async () => (await listUsableGateways(deps)).length > 0;
  const routes = createReadinessCustomerRoutes({ gates, hasUsableGateway });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  return system.serve({ prefix: '/v1', routes, guard });
};

beforeAll(async () => {
  system = await openTestSystem();
  const make = createFactories(system);
  [superAdmin, admin, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  const { wrapGateways } = createSeveralGateways(['sandbox', 'cashfree']);
  services = openServices(system, { gateways: wrapGateways });
  const { gateways, gatewayCodes } = services;
  const routes = createGatewayAdminRoutes({ ...system, gateways, codes: gatewayCodes });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  url = await system.serve({ prefix: '/v1', routes, guard });
  customerUrls = [await serveCustomerApp(), await serveCustomerApp()];
  ask = bearerCaller(url, superAdmin.token);
});

beforeEach(async () => {
  await system.db.gatewaySetting.deleteMany();
  await system.db.gatewayRouting.update({
    where: { id: 1 },
    data: { defaultCode: null, priority: [], routes: {} },
  });
});

afterAll(async () => {
  await system.close();
});

const items = async (): Promise<GatewayView[]> => {
  const { body } = await ask('GET', '/payment-gateways');
  return body['items'] as GatewayView[]; // as the route declares it
};

/** Returns for each customer app whether a checkout is available. */
const checkouts = (): Promise<unknown[]> =>
  Promise.all(
    customerUrls.map(async (at) => {
      const { body } = await bearerCaller(at, undefined)('GET', '/public/payment-readiness');
      return body['checkout_available'];
    }),
  );

const lastAudit = () => system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });

const writes = [
  ['PATCH', '/payment-gateways/sandbox', { enabled: false }],
  ['PUT', '/payment-gateways/default', { code: 'cashfree' }],
  ['PUT', '/payment-gateways/priority', { codes: ['cashfree'] }],
  ['PUT', '/payment-gateways/routes', { upi: 'cashfree' }],
] as const;

describe('GET /payment-gateways', () => {
  it('shows every gateway with its settings and without its credentials', async () => {
    const answer = await ask('GET', '/payment-gateways');
    const common = { enabled: true, mode: 'test' };
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      items: [
        { code: 'cashfree', ...common, credentialsConfigured: true, isDefault: false },
        { code: 'razorpay', ...common, credentialsConfigured: false, isDefault: false },
        { code: 'sandbox', ...common, credentialsConfigured: true, isDefault: true },
      ],
      priority: [],
      routes: {},
    });
    expect(await ask('GET', '/payment-gateways/razorpay')).toMatchObject({
      status: 200,
      body: { code: 'razorpay', credentialsConfigured: false },
    });
  });

  it('is allowed for super admins and admins', async () => {
    const tokens = [superAdmin.token, admin.token, support.token, undefined];
    for (const path of ['/payment-gateways', '/payment-gateways/sandbox']) {
      const answers = await Promise.all(
        tokens.map((token) => bearerCaller(url, token)('GET', path)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401]);
    }
  });
});

describe('a change of payment gateways', () => {
  it('of one gateway keeps omitted fields, and is audited with before and after', async () => {
    await ask('PATCH', '/payment-gateways/cashfree', { mode: 'live' });
    const answer = await ask('PATCH', '/payment-gateways/cashfree', { enabled: false });
    const expected = { code: 'cashfree', enabled: false, mode: 'live' };
    expect(answer).toMatchObject({ status: 200, body: expected });
    expect((await items())[0]).toMatchObject(expected);
    expect(await lastAudit()).toMatchObject({
      action: 'payment_gateway.change',
      actorId: superAdmin.adminId,
      targetId: 'cashfree',
      before: { enabled: true, mode: 'live' },
      after: { enabled: false, mode: 'live' },
    });
  });

  it('replaces the default, the priority list or the routes, and is audited', async () => {
    const named = await ask('PUT', '/payment-gateways/default', { code: 'cashfree' });
    expect(named.status).toBe(200);
    const defaults = (await items()).filter(({ isDefault }) => isDefault);
    expect(defaults.map(({ code }) => code)).toEqual(['cashfree']);
    expect(await lastAudit()).toMatchObject({
      before: { code: null },
      after: { code: 'cashfree' },
    });

    const priority = { codes: ['razorpay', 'sandbox'] };
    const listed = await ask('PUT', '/payment-gateways/priority', priority);
    expect(listed.body).toMatchObject({ priority: priority.codes });
    expect(await lastAudit()).toMatchObject({ before: { codes: [] }, after: priority });

    await ask('PUT', '/payment-gateways/routes', { upi: 'cashfree', card: 'sandbox' });
    const routes = { upi: null, card: 'razorpay' };
    const routed = await ask('PUT', '/payment-gateways/routes', routes);
    expect(routed.body).toMatchObject({ routes: { card: 'razorpay' }, priority: priority.codes });
    expect(await lastAudit()).toMatchObject({
      action: 'payment_gateways.routes.replace',
      before: { upi: 'cashfree', card: 'sandbox' },
      after: { card: 'razorpay' },
    });
  });

  it.each(writes)('is allowed only for super admins: %s %s', async (method, path, body) => {
    const before = await ask('GET', '/payment-gateways');
    const audited = await system.db.auditLog.count({ where: { outcome: 'DONE' } });
    for (const [token, status] of [
      [admin.token, 403],
      [support.token, 403],
      [undefined, 401],
    ] as const) {
      expect((await bearerCaller(url, token)(method, path, body)).status).toBe(status);
    }
    expect((await ask('GET', '/payment-gateways')).body).toEqual(before.body);
    expect(await system.db.auditLog.count({ where: { outcome: 'DONE' } })).toBe(audited);
  });

  it.each([
    ['PATCH', '/payment-gateways/sandbox', {}, 'enabled'],
    ['PATCH', '/payment-gateways/sandbox', { mode: 'production' }, 'mode'],
    ['PATCH', '/payment-gateways/sandbox', { enabled: 'no' }, 'enabled'],
    ['PUT', '/payment-gateways/default', { code: 'nobody' }, 'code'],
    ['PUT', '/payment-gateways/default', {}, 'code'],
    ['PUT', '/payment-gateways/priority', { codes: ['sandbox', 'nobody'] }, 'codes.1'],
    ['PUT', '/payment-gateways/priority', { codes: ['sandbox', 'sandbox'] }, 'codes'],
    ['PUT', '/payment-gateways/routes', { upi: 'nobody' }, 'upi'],
  ])('refuses %s %s %j, and writes nothing', async (method, path, body, field) => {
    const answer = await ask(method, path, body);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(answer.body['error']).toMatchObject({ field });
    expect(await system.db.gatewaySetting.count()).toBe(0);
  });

  it('is 404 for an unknown gateway', async () => {
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { enabled: false }],
    ] as const) {
      const answer = await ask(method, '/payment-gateways/nobody', body);
      expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });

  it('accepts no credentials', async () => {
    const body = { enabled: true, keySecret: 'dev-only-secret', credentials: { key: 'x' } };
    const answer = await ask('PATCH', '/payment-gateways/sandbox', body);
    expect(JSON.stringify(answer.body)).not.toContain('dev-only-secret');
    expect(await lastAudit()).toMatchObject({ after: { enabled: true, mode: 'test' } });
  });
});

it('a change takes effect in every app at once', async () => {
  // Production never chooses a gateway in mode `test`.
  expect(await checkouts()).toEqual([false, false]);
  await ask('PATCH', '/payment-gateways/sandbox', { mode: 'live' });
  expect(await checkouts()).toEqual([true, true]);
  await ask('PATCH', '/payment-gateways/sandbox', { enabled: false });
  expect(await checkouts()).toEqual([false, false]);
  await ask('PATCH', '/payment-gateways/cashfree', { mode: 'live' });
  expect(await checkouts()).toEqual([false, false]);
  await ask('PUT', '/payment-gateways/priority', { codes: ['sandbox', 'cashfree'] });
  expect(await checkouts()).toEqual([true, true]);
});

it("a change does not undo another operator's concurrent change", async () => {
  const answers = await Promise.all([
    ask('PATCH', '/payment-gateways/sandbox', { enabled: false }),
    ask('PATCH', '/payment-gateways/sandbox', { mode: 'live' }),
    ask('PUT', '/payment-gateways/default', { code: 'cashfree' }),
    ask('PUT', '/payment-gateways/priority', { codes: ['sandbox'] }),
    ask('PUT', '/payment-gateways/routes', { wallet: 'sandbox' }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const { body } = await ask('GET', '/payment-gateways');
  expect(body).toMatchObject({ priority: ['sandbox'], routes: { wallet: 'sandbox' } });
  const [cashfree, , sandbox] = await items();
  expect([cashfree?.isDefault, sandbox?.enabled, sandbox?.mode]).toEqual([true, false, 'live']);
});

describe('a gateway with test credentials in production', () => {
  let bare: Caller;

  beforeAll(async () => {
    const routes = createGatewayAdminRoutes({
      ...system,
      gateways: new Map(),
      codes,
      barred: new Set(['razorpay']),
    });
    const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
    bare = bearerCaller(await system.serve({ prefix: '/v1', routes, guard }), superAdmin.token);
  });

  it('cannot be set to live, which changes nothing and writes no audit row', async () => {
    const before = await system.db.auditLog.count();
    const refused = await bare('PATCH', '/payment-gateways/razorpay', { mode: 'live' });
    expect(refused).toMatchObject({ status: 409, code: 'GATEWAY_CREDENTIALS_BARRED' });
    expect(await system.db.auditLog.count()).toBe(before);
    const { body } = await bare('GET', '/payment-gateways/razorpay');
    expect(body).toMatchObject({ mode: 'test', credentialsConfigured: true });
  });

  it('can be disabled and enabled, and another gateway can be set to live', async () => {
    const enabled = await bare('PATCH', '/payment-gateways/razorpay', { enabled: false });
    expect(enabled.status).toBe(200);
    const other = await bare('PATCH', '/payment-gateways/cashfree', { mode: 'live' });
    expect(other).toMatchObject({ status: 200 });
  });

  it('is named by the readiness report', async () => {
    const check = checkPaymentGateways({
      gateways: new Map(),
      listUsable: async () => [],
      barred: new Set(['razorpay']),
    });
    expect(await check()).toMatchObject({
      status: 'FAIL',
      detail: expect.stringContaining('credentials do not fit this installation: razorpay'),
    });
  });
});
