import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { adminAccess, createAdmins } from '../admins/index.ts';
import type { AuditEntry } from './audit.types.ts';
import { createVault, parseKeyring } from '../../platform/crypto/index.ts';
import { createAuditAdminRoutes, createAuditor } from './index.ts';

let system: TestSystem;
let url: string;
let boss: MadeAdmin;
let other: MadeAdmin;
let support: MadeAdmin;
let ask: Caller;

const hourMs = 3_600_000;

const record = (entry: Partial<AuditEntry> & { action: string }) =>
  system.audit.record(system.db, {
    actor: { api: 'admin', id: boss.adminId, email: boss.email, role: boss.role },
    requestId: 'request-1',
    ip: '203.0.113.7',
    ...entry,
  });

beforeAll(async () => {
  system = await openTestSystem();
  const make = createFactories(system);
  [boss, other, support] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
  ]);
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 60 });
  const access = adminAccess('SUPER_ADMIN', 'ADMIN');
  const routes = createAuditAdminRoutes(system, { path: '/audit', access });
  url = await system.serve({ prefix: '/v1', routes, guard });
  ask = bearerCaller(url, boss.token);

  await record({
    action: 'first',
    target: { type: 'kyc', id: 'a' },
    before: { status: 'PENDING' },
  });
  system.clock.advance(hourMs);
  await record({
    action: 'second',
    actor: { api: 'admin', id: other.adminId, email: other.email, role: other.role },
    target: { type: 'kyc', id: 'b' },
    after: { status: 'APPROVED', limits: { minBuyPaise: 1000 } },
  });
  system.clock.advance(hourMs);
  await record({ action: 'third', actor: { api: 'system' }, outcome: 'REFUSED' });
});

afterAll(async () => system.close());

const actions = async (query = ''): Promise<unknown> => {
  const { status, body } = await ask('GET', `/audit${query}`);
  expect(status).toBe(200);
  return (body['items'] as { action: string }[]).map(({ action }) => action); // the page's view
};

const at = (backMs: number): string =>
  encodeURIComponent(new Date(system.clock.now().getTime() - backMs).toISOString());

describe('the log', () => {
  it('is read newest first', async () => {
    expect(await actions()).toEqual(['third', 'second', 'first']);
    expect(await actions('?limit=2')).toEqual(['third', 'second']);
    expect(await actions('?limit=2&page=2')).toEqual(['first']);
    expect((await ask('GET', '/audit?page=9')).body).toMatchObject({
      items: [],
      total: 3,
      page: 9,
      limit: 20,
    });
  });

  it('keeps the order of writing when the clock is set back', async () => {
    system.clock.advance(-24 * hourMs);
    await record({ action: 'written last' });
    system.clock.advance(24 * hourMs);
    expect(await actions('?limit=1')).toEqual(['written last']);
  });

  it('shows actor, action, target, change and address', async () => {
    const { body } = await ask('GET', '/audit?action=second');
    expect(body['items']).toEqual([
      {
        id: expect.any(String),
        action: 'second',
        outcome: 'DONE',
        actor: { id: other.adminId, email: other.email, role: 'ADMIN' },
        target: { type: 'kyc', id: 'b' },
        after: { status: 'APPROVED', limits: { minBuyPaise: 1000 } },
        requestId: 'request-1',
        ip: '203.0.113.7',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
      },
    ]);
    const { body: third } = await ask('GET', '/audit?action=third');
    expect(third['items']).toMatchObject([
      { outcome: 'REFUSED', actor: { id: null, email: null, role: null } },
    ]);
  });

  it('is filtered by action, actor, target and time', async () => {
    expect(await actions('?action=first')).toEqual(['first']);
    expect(await actions(`?actorId=${other.adminId}`)).toEqual(['second']);
    expect(await actions('?targetType=kyc')).toEqual(['second', 'first']);
    expect(await actions('?targetType=kyc&targetId=a')).toEqual(['first']);
    expect(await actions(`?from=${at(hourMs)}`)).toEqual(['third', 'second']);
    expect(await actions(`?to=${at(hourMs)}&targetType=kyc`)).toEqual(['first']);
    expect(await actions(`?from=${at(2 * hourMs)}&to=${at(0)}`)).toEqual(['second', 'first']);
    expect(await actions('?action=none')).toEqual([]);
  });

  it('is filtered by outcome, request and address', async () => {
    expect(await actions('?outcome=REFUSED')).toEqual(['third']);
    expect(await actions('?outcome=DONE&ip=203.0.113.7&targetType=kyc')).toEqual([
      'second',
      'first',
    ]);
    expect(await actions('?requestId=request-1&outcome=REFUSED')).toEqual(['third']);
    expect(await actions('?requestId=request-2')).toEqual([]);
    expect(await actions('?ip=203.0.113.8')).toEqual([]);
  });

  it.each([
    ['outcome=LOST', 'outcome'],
    ['ip=home', 'ip'],
    ['page=0', 'page'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['actorId=1', 'actorId'],
    ['from=yesterday', 'from'],
    ['from=0000-01-01T00:00:00Z', 'from'],
    ['to=0001-01-01T00:00:00%2B05:30', 'to'],
    ['action=', 'action'],
    ['action=a%00b', 'action'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await ask('GET', `/audit?${query}`);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });

  it('is for super admins and admins', async () => {
    const statuses = await Promise.all(
      [boss.token, other.token, support.token, undefined].map(
        async (token) => (await bearerCaller(url, token)('GET', '/audit')).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 403, 401]);
  });
});

const stored = (action: string) => system.db.auditLog.findFirstOrThrow({ where: { action } });
const shown = async (action: string) =>
  ((await ask('GET', `/audit?action=${action}`)).body['items'] as object[])[0]; // the page's view

describe('personal data in the log', () => {
  const personal = {
    before: { status: 'SUBMITTED' },
    after: { status: 'REJECTED' },
    sealed: { before: { fullName: 'Meera Nair' }, after: { reason: 'Meera moved to Kochi' } },
  };

  it("is sealed with the customer's key, and shown to operators who may read the log", async () => {
    const { userId } = await createFactories(system).customer();
    await record({ action: 'of-a-customer', ...personal, sealedFor: userId });
    const row = await stored('of-a-customer');
    expect(row).toMatchObject({ sealedForUserId: userId, after: { status: 'REJECTED' } });
    expect(JSON.stringify({ ...row, seq: 0 })).not.toMatch(/Meera/u);
    expect(await shown('of-a-customer')).toMatchObject({
      before: { status: 'SUBMITTED', fullName: 'Meera Nair' },
      after: { status: 'REJECTED', reason: 'Meera moved to Kochi' },
    });
  });

  it('cannot be read after the key is destroyed, while the other fields stay', async () => {
    const { userId } = await createFactories(system).customer();
    await record({ action: 'of-one-who-left', ...personal, sealedFor: userId });
    expect(JSON.stringify(await shown('of-one-who-left'))).toContain('Meera Nair');
    await system.vault.destroyUser(system.db, userId);
    expect(await shown('of-one-who-left')).toMatchObject({
      before: { status: 'SUBMITTED' },
      after: { status: 'REJECTED' },
    });
    expect(JSON.stringify(await shown('of-one-who-left'))).not.toContain('Meera');
  });

  it('is sealed with the service key if there is no customer or their key is destroyed', async () => {
    await record({ action: 'of-nobody', sealed: { after: { reason: 'the provider is down' } } });
    const { userId } = await createFactories(system).customer();
    await system.vault.destroyUser(system.db, userId);
    await record({ action: 'of-one-gone', ...personal, sealedFor: userId });
    for (const action of ['of-nobody', 'of-one-gone']) {
      const row = await stored(action);
      expect(row.sealedForUserId).toBeNull();
      expect(JSON.stringify({ ...row, seq: 0 })).not.toMatch(/Meera|provider is down/u);
    }
    expect(await shown('of-nobody')).toMatchObject({ after: { reason: 'the provider is down' } });
  });

  it('is left out if its key is no longer in the keyring, and the log is still shown', async () => {
    const keyring = parseKeyring(`gone:${Buffer.alloc(32, 'g').toString('base64')}`);
    const vault = createVault({ keyring });
    await createAuditor({ ...system, vault }).record(system.db, {
      action: 'of-a-lost-key',
      actor: { api: 'system' },
      requestId: 'r',
      after: { status: 'DONE' },
      sealed: { after: { reason: 'unreadable' } },
    });
    expect(await actions('?limit=1')).toEqual(['of-a-lost-key']);
    expect(await shown('of-a-lost-key')).toMatchObject({ after: { status: 'DONE' } });
  });
});

describe('a row', () => {
  it('is rolled back with the transaction of its change', async () => {
    const failing = system.inTransaction(async (tx) => {
      await system.audit.record(tx, { action: 'undone', actor: { api: 'system' }, requestId: 'r' });
      throw new Error('the change failed');
    });
    await expect(failing).rejects.toThrow('the change failed');
    expect(await actions('?action=undone')).toEqual([]);
  });

  it.each([
    "UPDATE audit_log SET action = 'other'",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log CASCADE',
  ])('cannot be touched: %s', async (sql) => {
    const { appUrl, migrateUrl } = system.addresses;
    const run = (address: string) => withConnection(address, (client) => client.query(sql));
    await expect(run(appUrl)).rejects.toThrow(/permission denied/u);
    await expect(run(migrateUrl)).rejects.toThrow(/append-only|audit_log/u);
  });
});
