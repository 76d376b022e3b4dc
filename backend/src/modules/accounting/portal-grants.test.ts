import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { permissions, type Permission } from './index.ts';
import { defaultPermissions } from './permissions.ts';

const password = 'a password long enough';

let system: TestSystem;
let make: Factories;
let url: string;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  ({ url } = await serveAccountingApi(system));
});

afterAll(async () => system.close());

const holding = async (...own: readonly Permission[]) => {
  const user = await make.portalUser('super_admin', { permissions: own });
  const call: Caller = createCaller(url, { 'x-portal-token': user.token });
  return { ...user, call };
};

let made = 0;
const newUser = (given: object) => {
  made += 1;
  return { email: `granted-${made}@example.test`, name: 'Asha Rao', password, ...given };
};

const rowsAfter = async (run: () => Promise<unknown>) => {
  const before = await system.db.auditLog.count();
  await run();
  return system.db.auditLog.findMany({ skip: before, orderBy: { seq: 'asc' } });
};

describe('a portal user who may administer, but lacks other permissions', () => {
  it('cannot create a user with more permissions', async () => {
    const { call } = await holding('portal_users.create', 'gold.buys.read');
    for (const given of [
      { role: 'super_admin' },
      { role: 'viewer' },
      { role: 'viewer', permissions: ['gold.buys.read', 'gold.sells.read'] },
      { role: 'super_admin', permissions: ['portal_users.assign_permissions'] },
    ]) {
      const body = newUser(given);
      const answer = await call('POST', '/portal-users', body);
      expect(answer).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect(await system.db.portalUser.count({ where: { email: body.email } })).toBe(0);
    }
    const own = newUser({ role: 'viewer', permissions: ['gold.buys.read'] });
    expect(await call('POST', '/portal-users', own)).toMatchObject({ status: 201 });
  });

  it('is told the missing permissions, and the refusal is audited', async () => {
    const { call, portalUserId } = await holding('portal_users.create', 'gold.buys.read');
    const list = ['gold.buys.read', 'gold.sells.read', 'audit.read'];
    const rows = await rowsAfter(async () => {
      const body = newUser({ role: 'viewer', permissions: list });
      const { body: answer } = await call('POST', '/portal-users', body);
      expect(answer['error']).toMatchObject({
        details: { missing: ['gold.sells.read', 'audit.read'] },
      });
    });
    expect(rows).toMatchObject([
      {
        action: 'accounting.refused',
        outcome: 'REFUSED',
        actorId: portalUserId,
        after: { code: 'PERMISSION_DENIED', method: 'POST', route: '/portal-users' },
      },
    ]);
  });

  it('cannot give a permission that they lack, not even to themselves', async () => {
    const admin = await holding('portal_users.assign_permissions', 'gold.buys.read');
    const { portalUserId: id } = await make.portalUser('viewer', {
      permissions: ['gold.sells.read'],
    });
    for (const target of [id, admin.portalUserId]) {
      const path = `/portal-users/${target}/permissions`;
      expect(await admin.call('PUT', path, { permissions })).toMatchObject({ status: 403 });
    }
    const kept = ['gold.sells.read', 'gold.buys.read'];
    const path = `/portal-users/${id}/permissions`;
    expect(await admin.call('PUT', path, { permissions: kept })).toMatchObject({
      status: 200,
      body: { permissions: kept },
    });
  });

  it('cannot give a role whose permissions they lack', async () => {
    const { call } = await holding('portal_users.assign_role', ...defaultPermissions.viewer);
    const { portalUserId: id } = await make.portalUser('auditor');
    const path = `/portal-users/${id}/role`;
    for (const role of ['super_admin', 'accountant', 'finance_head']) {
      expect(await call('PUT', path, { role })).toMatchObject({ status: 403 });
    }
    expect(await call('PUT', path, { role: 'viewer' })).toMatchObject({ status: 200 });
  });

  it('cannot make a permission usable by another role', async () => {
    const admin = await holding('portal_users.assign_role', ...defaultPermissions.viewer);
    const { portalUserId: id } = await make.portalUser('viewer', { permissions });
    const path = `/portal-users/${id}/role`;
    expect(await admin.call('PUT', path, { role: 'super_admin' })).toMatchObject({ status: 403 });
  });

  it('cannot set the password of a user with more permissions', async () => {
    const boss = await make.portalUser();
    const { call } = await holding('portal_users.reset_password', 'gold.buys.read');
    const resetOf = (id: string) =>
      call('POST', `/portal-users/${id}/reset-password`, { password });
    expect(await resetOf(boss.portalUserId)).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
    });
    const signIn = createCaller(url);
    const { email, password: own } = boss;
    expect(await signIn('POST', '/auth/login', { email, password: own })).toMatchObject({
      status: 200,
    });
    const equal = await make.portalUser('viewer', { permissions: ['gold.buys.read'] });
    expect(await resetOf(equal.portalUserId)).toMatchObject({ status: 200 });
  });

  it('can set the password of any user if they may assign roles and permissions', async () => {
    const boss = await make.portalUser();
    const reset = async (...own: readonly Permission[]) => {
      const { call } = await holding('portal_users.reset_password', ...own);
      const path = `/portal-users/${boss.portalUserId}/reset-password`;
      return (await call('POST', path, { password })).status;
    };
    const assigning = ['portal_users.assign_role', 'portal_users.assign_permissions'] as const;
    expect(await reset(assigning[0])).toBe(403);
    expect(await reset(assigning[1])).toBe(403);
    expect(await reset(...assigning)).toBe(200);
  });
});
