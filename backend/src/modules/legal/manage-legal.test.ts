import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import type { MadeAdmin } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { openCustomerApi, type OpenCustomerApi } from '#test/support/open-customer-api.ts';
import { createAdmins } from '../admins/index.ts';
import { createReadinessAdminRoutes, evidenceItems } from '../readiness/index.ts';
import { createLegalAdminRoutes } from './index.ts';

let open: OpenCustomerApi;
let url: string;
let operators: readonly MadeAdmin[];
let ask: Caller;
let anybody: Caller;

/** A database as in production, which is migrated and not seeded. */
beforeAll(async () => {
  open = await openCustomerApi({ seeded: false });
  const { system, make } = open;
  operators = [
    await make.admin('SUPER_ADMIN'),
    await make.admin('ADMIN'),
    await make.admin('SUPPORT'),
  ];
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 3600 });
  const routes = [
    ...createLegalAdminRoutes(system),
    ...createReadinessAdminRoutes({ ...system, report: async () => [] }),
  ];
  url = await system.serve({ prefix: '/v1', routes, guard });
  ask = bearerCaller(url, operators[0]?.token);
  anybody = open.as();
});

afterAll(() => open.close());

const statusesOf = async (method: string, path: string, body?: unknown): Promise<number[]> => {
  const statuses: number[] = [];
  for (const token of [...operators.map((one) => one.token), undefined]) {
    statuses.push((await bearerCaller(url, token)(method, path, body)).status);
  }
  return statuses;
};
const lastAudit = () => open.system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });
const publish = (body: unknown) => ask('POST', '/legal/policies', body);

describe('a production database without a seed', () => {
  it('accepts its first payment once operators have recorded evidence and terms', async () => {
    const customer = await open.knownPerson();
    const quote = () => customer.call('POST', '/gold/quote', { unit: 'INR', amount: '1000' });
    const pay = async (key: string) =>
      customer.call('POST', '/payments/orders', {
        quote_id: (await quote()).body['id'],
        idempotency_key: `no-seed-${key}`,
        terms_accepted: true,
      });
    expect(await pay('closed')).toMatchObject({ status: 503, code: 'PAYMENTS_DISABLED' });
    for (const item of evidenceItems) {
      const evidence = { value: 'on file', reference: `file ${item}`, verified: true };
      expect((await ask('PUT', `/readiness/evidence/${item}`, evidence)).status).toBe(200);
    }
    expect(await pay('not-shown')).toMatchObject({ status: 503, code: 'PAYMENTS_DISABLED' });
    const name = { value: 'on file', verified: true };
    expect((await ask('PUT', '/legal/fields/entity.registered', name)).status).toBe(200);
    expect(await pay('no-terms')).toMatchObject({ status: 503, code: 'PAYMENTS_DISABLED' });
    const terms = { slug: 'terms', version: '1.0', effectiveFrom: '2026-01-01', body: 'Buy gold.' };
    expect((await publish(terms)).status).toBe(201);
    expect((await pay('open')).status).toBe(201);
    const payment = await open.system.db.paymentOrder.findFirstOrThrow();
    expect(payment.termsAcceptedVersion).toBe('1.0');
    const { orderId, gatewayOrderId } = payment;
    await open.system.sandbox.control('POST', `/payments/${gatewayOrderId}`, {
      outcome: 'captured',
    });
    await eventually(async () => {
      await open.drain();
      const order = await open.system.db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
      return order.status === 'ALLOCATED';
    });
    await open.system.db.legalField.deleteMany();
  });
});

describe('a field', () => {
  it('is published under its key once it is verified, and audited with before and after', async () => {
    const field = { value: 'Example Gold Private Limited', verified: false, reference: 'ROC 12' };
    const path = '/legal/fields/entity.legalName';
    expect(await ask('PUT', path, field)).toMatchObject({
      status: 200,
      body: { name: 'entity.legalName', ...field },
    });
    expect((await anybody('GET', '/legal/entity')).body).toEqual({});
    await ask('PUT', path, { ...field, verified: true });
    expect((await anybody('GET', '/legal/entity')).body).toEqual({ legalName: field.value });
    expect(await lastAudit()).toMatchObject({
      action: 'legal.fields.put',
      targetId: 'entity.legalName',
      before: field,
      after: { ...field, verified: true },
    });
    const { body } = await ask('GET', '/legal');
    expect(body['fields']).toMatchObject([{ name: 'entity.legalName', verified: true }]);
    expect(await statusesOf('PUT', path, field)).toEqual([200, 403, 403, 401]);
    expect(await statusesOf('GET', '/legal')).toEqual([200, 200, 403, 401]);
  });

  it('is replaced by one request at a time, so each audit row shows the earlier value', async () => {
    const first = await open.system.db.auditLog.count();
    await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        ask('PUT', '/legal/fields/pricing.spread', { value: `${number}`, verified: true }),
      ),
    );
    const rows = await open.system.db.auditLog.findMany({ orderBy: { seq: 'asc' }, skip: first });
    let known: unknown = null;
    for (const row of rows) {
      expect(row.before).toEqual(known);
      known = row.after;
    }
    expect(rows).toHaveLength(6);
  });

  it.each(['entity', 'entity.', 'other.x', 'entity.1x', 'entity.x.y', 'entity.a-b'])(
    'with the name %s is not found',
    async (name) => {
      const answer = await ask('PUT', `/legal/fields/${name}`, { value: 'x', verified: true });
      expect(answer).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    },
  );

  it('needs a value and the field `verified`', async () => {
    for (const [name, value] of [
      ['value', ' '],
      ['value', 'x'.repeat(2001)],
      ['verified', 'yes'],
      ['reference', ''],
    ] as const) {
      const body = { value: 'x', verified: true, [name]: value };
      const answer = await ask('PUT', '/legal/fields/entity.x', body);
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: name });
    }
  });
});

const shown = async () => (await anybody('GET', '/legal/policies/privacy-policy')).body;

describe('a policy', () => {
  const policy = { slug: 'privacy-policy', version: '1', effectiveFrom: '2026-01-01' };

  it('is in force from its IST date in its newest version', async () => {
    const { clock } = open.system;
    const first = await publish({ ...policy, body: 'We keep little.' });
    expect(first).toMatchObject({
      status: 201,
      body: { ...policy, title: 'Privacy policy', url: null, inForce: true, verified: true },
    });
    const nextDay = new Date(clock.now().getTime() + 2 * 24 * 3_600_000).toISOString().slice(0, 10);
    const second = await publish({
      ...policy,
      version: '2',
      title: 'Your privacy',
      effectiveFrom: nextDay,
      url: 'https://example.test/privacy',
    });
    expect(second).toMatchObject({ status: 201, body: { effectiveFrom: nextDay, inForce: false } });
    expect(await shown()).toMatchObject({ version: '1', body: 'We keep little.', url: null });
    const begins = new Date(`${nextDay}T00:00:00+05:30`).getTime();
    clock.advance(begins - clock.now().getTime() - 1);
    expect(await shown()).toMatchObject({ version: '1' });
    clock.advance(1);
    expect(await shown()).toEqual({
      slug: 'privacy-policy',
      available: true,
      version: '2',
      title: 'Your privacy',
      body: null,
      url: 'https://example.test/privacy',
      effectiveFrom: nextDay,
    });
    operators = [await open.make.admin('SUPER_ADMIN'), ...operators.slice(1)];
    ask = bearerCaller(url, operators[0]?.token);
    const { body } = await ask('GET', '/legal');
    const versions = (body['policies'] as { slug: string }[]).filter(
      ({ slug }) => slug === policy.slug,
    );
    expect(versions).toMatchObject([
      { version: '2', inForce: true },
      { version: '1', inForce: false },
    ]);
  });

  it('has each version once, and no version is changed', async () => {
    const body = { ...policy, version: '9', body: 'Once.' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => publish(body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409,
    ]);
    expect(answers.find(({ status }) => status === 409)?.code).toBe('CONFLICT');
    expect(await lastAudit()).toMatchObject({
      action: 'legal.policies.publish',
      after: { slug: policy.slug, version: '9', bodySha256: expect.any(String) },
    });
    const change = open.system.db.policyVersion.updateMany({ data: { body: 'Twice.' } });
    await expect(change).rejects.toThrow(/permission denied/u);
  });

  it('can be published only by super admins', async () => {
    const roles = operators.slice(1).map((one) => bearerCaller(url, one.token));
    for (const call of roles) {
      const answer = await call('POST', '/legal/policies', { ...policy, version: '8', body: 'x' });
      expect([401, 403]).toContain(answer.status);
    }
  });

  it.each([
    ['slug', { slug: 'A' }],
    ['slug', { slug: 'a' }],
    ['slug', { slug: 'x'.repeat(41) }],
    ['version', { version: '' }],
    ['effectiveFrom', { effectiveFrom: '2026-02-30' }],
    ['effectiveFrom', { effectiveFrom: '0000-01-01' }],
    ['effectiveFrom', { effectiveFrom: '2026-01-01T00:00:00Z' }],
    ['url', { url: 'javascript:alert(1)' }],
    ['url', { url: 'http://example.test/' }],
    ['body', { body: undefined }],
    ['body', { body: ' ' }],
  ])('needs a %s that is one', async (field, change) => {
    const answer = await publish({ ...policy, version: '7', body: 'x', ...change });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });
});
