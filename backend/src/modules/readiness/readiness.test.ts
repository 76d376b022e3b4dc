import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createSandboxGateway } from '../../adapters/payment-gateway/sandbox/create-sandbox-gateway.ts';
import { sandboxDefaults } from '../../apps/sandbox/sandbox-options.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { done, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import { createAdmins, hasActiveSuperAdmin } from '../admins/index.ts';
import {
  createReadinessAdminRoutes,
  createReadinessReport,
  checkFirstAdmin,
  checkGoldProvider,
  checkMigrations,
  checkPaymentGateways,
  checkPayoutProvider,
  checkPriceFeed,
  checkSecrets,
} from './index.ts';
import type { ReadinessItem } from './readiness.types.ts';

const evidence = { value: '29ABCDE1234F2Z5', reference: 'certificate 7', verified: true };

let system: TestSystem;
let url: string;
let boss: MadeAdmin;
let admin: MadeAdmin;
let support: MadeAdmin;
let ask: Caller;
let lastMark: () => Promise<Date | undefined>;
let payoutAnswer: Outcome<undefined> = done(undefined);
let usable = ['sandbox'];
const listUsable = async () => usable;
let gateway: ReturnType<typeof createSandboxGateway>;

const createGateway = () =>
  createSandboxGateway(
    {
      SANDBOX_GATEWAY_BASE_URL: `${system.sandbox.url}/gateway`,
      SANDBOX_GATEWAY_KEY_ID: sandboxDefaults.gatewayKeyId,
      SANDBOX_GATEWAY_KEY_SECRET: sandboxDefaults.gatewayKeySecret,
      SANDBOX_GATEWAY_WEBHOOK_SECRETS: [...sandboxDefaults.gatewayWebhookSecrets],
      SANDBOX_GATEWAY_TIMEOUT_MS: 10_000,
    },
    { clock: system.clock, logger: system.logger },
  );

beforeAll(async () => {
  system = await openTestSystem();
  const make = createFactories(system);
  [boss, admin, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  const { db, clock, provider, wall } = system;
  gateway = createGateway();
  const report = createReadinessReport({
    db,
    clock,
    checks: {
      gold_provider: checkGoldProvider(provider),
      payment_gateway: checkPaymentGateways({
        gateways: new Map([['sandbox', gateway]]),
        listUsable,
      }),
      payout_provider: checkPayoutProvider({
        code: 'razorpayx',
        findPayoutByReference: async () => payoutAnswer,
      }),
      price_feed: checkPriceFeed(() => lastMark(), wall),
      database_migrations: checkMigrations(db),
      first_admin: checkFirstAdmin(() => hasActiveSuperAdmin(db)),
      production_secrets: checkSecrets('production'),
    },
  });
  const routes = createReadinessAdminRoutes({ ...system, report });
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  url = await system.serve({ prefix: '/v1', routes, guard });
  ask = bearerCaller(url, boss.token);
});

beforeEach(async () => {
  lastMark = async () => system.wall.now();
  await system.sandbox.control('DELETE', '/faults');
});

afterAll(async () => {
  await gateway.close();
  await system.close();
});

const put = (item: string, body: unknown, token = boss.token) =>
  bearerCaller(url, token)('PUT', `/readiness/evidence/${item}`, body);

const itemsOf = (body: Readonly<Record<string, unknown>>) => body['items'] as ReadinessItem[]; // view

const find = async (id: string) =>
  itemsOf((await ask('GET', '/readiness')).body).find((item) => item.id === id);

const fault = (collaborator: string, times = 5) =>
  system.sandbox.control('POST', '/faults', {
    collaborator,
    operation: '*',
    fault: 'error',
    times,
  });

describe("the custodian's certificate", () => {
  it.each([
    '12345',
    '12345.6789 g',
    '12345.6789 kg of 2026-01-15',
    '1 g of 2026-02-30',
    '-1 g of 2026-01-15',
  ])('is refused as %j: grams and a day are asked for', async (value) => {
    const answer = await put('custodian_certificate', { ...evidence, value });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: 'value' });
    expect(await find('custodian_certificate')).toBeUndefined();
  });
});

describe('the report', () => {
  it('has every item, and is ready once no blocking item fails', async () => {
    const { body } = await ask('GET', '/readiness');
    expect(body['ready']).toBe(false);
    expect(itemsOf(body).map(({ id, blocking, status }) => [id, blocking, status])).toEqual([
      ['merchant_tax_registration', true, 'FAIL'],
      ['provider_disclosure', true, 'FAIL'],
      ['legal_entity', true, 'FAIL'],
      ['legal_policies', true, 'FAIL'],
      ['gold_provider', false, 'PASS'],
      ['payment_gateway', false, 'PASS'],
      ['payout_provider', false, 'PASS'],
      ['price_feed', false, 'PASS'],
      ['database_migrations', true, 'PASS'],
      ['first_admin', true, 'PASS'],
      ['production_secrets', true, 'PASS'],
    ]);
    const blocking = await ask('GET', '/readiness/blocking');
    expect(itemsOf(blocking.body).map(({ id }) => id)).toHaveLength(4);

    const items = ['merchant_tax_registration', 'provider_disclosure', 'legal_entity'];
    for (const item of items) await put(item, evidence);
    await put('legal_policies', evidence);
    const nearly = await ask('GET', '/readiness/blocking');
    expect(nearly.body).toMatchObject({
      ready: false,
      items: [{ id: 'legal_entity', detail: expect.stringContaining('/legal/entity') }],
    });
    const { value } = evidence;
    const field = { section: 'entity', key: 'gstin', verified: true, updatedAt: new Date(0) };
    await system.db.legalField.create({ data: { ...field, value } });
    expect((await ask('GET', '/readiness/blocking')).body).toEqual({ ready: true, items: [] });
    expect((await ask('GET', '/readiness')).body['ready']).toBe(true);
  });

  it('fails the payout provider if it does not respond', async () => {
    payoutAnswer = unknown('timeout');
    expect(await find('payout_provider')).toMatchObject({ status: 'FAIL' });
    payoutAnswer = done(undefined);
    expect(await find('payout_provider')).toMatchObject({ status: 'PASS' });
  });

  it('fails the gold provider or a gateway that does not respond', async () => {
    await fault('safegold');
    expect(await find('gold_provider')).toMatchObject({ status: 'FAIL' });
    await system.sandbox.control('DELETE', '/faults');
    await fault('sandbox-gateway');
    expect(await find('payment_gateway')).toMatchObject({
      status: 'FAIL',
      detail: 'No response from: sandbox.',
    });
  });

  it('fails a silent feed, and has UNKNOWN for a check that throws', async () => {
    lastMark = async () => undefined;
    expect(await find('price_feed')).toMatchObject({ status: 'FAIL' });
    lastMark = async () => addMs(system.wall.now(), -31_000);
    expect(await find('price_feed')).toMatchObject({ status: 'FAIL' });
    lastMark = async () => {
      throw new Error('relation "price_snapshot" does not exist');
    };
    const item = await find('price_feed');
    expect(item).toMatchObject({ status: 'UNKNOWN' });
    expect(item?.detail).not.toContain('price_snapshot');
  });

  it('fails the gateways if there is none, or if none can be chosen', async () => {
    usable = [];
    const check = checkPaymentGateways({ gateways: new Map(), listUsable });
    expect(await check()).toMatchObject({ status: 'FAIL' });
    expect(await find('payment_gateway')).toMatchObject({
      status: 'FAIL',
      detail: 'No payment gateway can be chosen: enable one, or set its mode.',
    });
    usable = ['sandbox'];
    expect(await find('payment_gateway')).toMatchObject({ status: 'PASS' });
  });

  it('is for super admins and admins', async () => {
    const tokens = [boss.token, admin.token, support.token, undefined];
    for (const path of ['/readiness', '/readiness/blocking']) {
      const answers = await Promise.all(
        tokens.map((token) => bearerCaller(url, token)('GET', path)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401]);
    }
  });
});

describe('evidence', () => {
  it('is shown with its item and audited with before and after', async () => {
    await put('legal_entity', evidence);
    const answer = await put('legal_entity', { ...evidence, verified: false });
    expect(answer).toMatchObject({ status: 200, body: { ...evidence, verified: false } });
    expect(await find('legal_entity')).toMatchObject({
      status: 'FAIL',
      evidence: { ...evidence, verified: false, updatedAt: system.clock.now().toISOString() },
    });
    const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({
      action: 'readiness.evidence.put',
      actorId: boss.adminId,
      targetId: 'legal_entity',
      before: evidence,
      after: { ...evidence, verified: false },
    });
  });

  it('is accepted in the form of the report, even without a reference', async () => {
    await put('legal_entity', evidence);
    await system.db.readinessEvidence.update({
      where: { item: 'legal_entity' },
      data: { reference: null },
    });
    const before = (await find('legal_entity'))?.evidence;
    expect(before).toMatchObject({ reference: null });
    const answer = await put('legal_entity', before ?? {});
    expect(answer).toMatchObject({ status: 200, body: { ...evidence, reference: null } });
  });

  it('warns in its last thirty days, and fails after the last one', async () => {
    const item = 'merchant_tax_registration';
    const dayMs = 86_400_000;
    const until = (days: number) =>
      put(item, { ...evidence, expiresOn: istDate(addMs(system.clock.now(), days * dayMs)) });
    expect((await until(31)).body).toMatchObject({ expiresOn: expect.any(String) });
    expect(await find(item)).toMatchObject({ status: 'PASS' });
    expect(await find(item)).not.toHaveProperty('warning');
    await until(29);
    expect(await find(item)).toMatchObject({ status: 'PASS', warning: expect.any(String) });
    await until(0);
    expect(await find(item)).toMatchObject({ status: 'PASS', warning: expect.any(String) });
    await until(-1);
    const expired = { status: 'FAIL', detail: expect.stringContaining('expired') };
    expect(await find(item)).toMatchObject(expired);
    expect(await put(item, { ...evidence, expiresOn: 'soon' })).toMatchObject({ status: 400 });
    expect((await put(item, evidence)).body).toMatchObject({ expiresOn: null });
    expect(await find(item)).toMatchObject({ status: 'PASS' });
  });

  it('is for super admins', async () => {
    for (const { token } of [admin, support]) {
      expect(await put('legal_entity', evidence, token)).toMatchObject({ status: 403 });
    }
  });

  it('is refused for an unknown item, and for an item that is checked', async () => {
    expect(await put('nothing', evidence)).toMatchObject({ status: 404 });
    expect(await put('gold_provider', evidence)).toMatchObject({ status: 404 });
  });

  it.each([
    ['no value', { value: ' ' }, 'value'],
    ['no reference', { reference: undefined }, 'reference'],
    ['an endless value', { value: 'x'.repeat(2001) }, 'value'],
    ['verified as text', { verified: 'true' }, 'verified'],
    ['verified as a number', { verified: 1 }, 'verified'],
    ['nothing of verified', { verified: undefined }, 'verified'],
  ])('is refused with %s', async (_name, change, field) => {
    const answer = await put('legal_entity', { ...evidence, ...change });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });
});
