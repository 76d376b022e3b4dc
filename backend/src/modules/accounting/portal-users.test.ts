import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type Factories, type MadePortalUser } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { hasherWithVerified } from '#test/support/verified-hasher.ts';
import { permissions, portalRoles } from './index.ts';
import { administrationPermissions, defaultPermissions } from './permissions.ts';

const password = 'a password long enough';

let system: TestSystem;
let make: Factories;
let url: string;
let boss: MadePortalUser;
let ask: Caller;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  ({ url } = await serveAccountingApi(system));
  boss = await make.portalUser();
  ask = as(boss.token);
});

afterAll(async () => system.close());

const as = (token: string): Caller => createCaller(url, { 'x-portal-token': token });
const signIn = (email: string, secret: string) =>
  createCaller(url)('POST', '/auth/login', { email, password: secret });

let made = 0;
const newUser = (given: object = {}) => {
  made += 1;
  return {
    email: `new-${made}@example.test`,
    name: 'Asha Rao',
    role: 'viewer',
    password,
    ...given,
  };
};
const create = async (given: object = {}): Promise<{ id: string; email: string }> => {
  const { status, body } = await ask('POST', '/portal-users', newUser(given));
  expect(status).toBe(201);
  return { id: String(body['id']), email: String(body['email']) };
};

/** Returns the newest audit row. */
const lastAudit = () => system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });

describe('a new portal user', () => {
  it('signs in, with the permissions of the role and an email in lower case', async () => {
    const email = 'Meera.Nair@Example.test';
    const answer = await ask('POST', '/portal-users', newUser({ email: ` ${email} ` }));
    expect(answer).toMatchObject({
      status: 201,
      body: {
        email: email.toLowerCase(),
        name: 'Asha Rao',
        role: 'viewer',
        permissions: defaultPermissions.viewer,
        active: true,
        lastLoginAt: null,
      },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/argon2|password/u);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
    expect(await ask('GET', `/portal-users/${String(answer.body['id'])}`)).toMatchObject({
      status: 200,
      body: { email: email.toLowerCase(), lastLoginAt: expect.any(String) },
    });
  });

  it('is audited without the name and the password in the clear', async () => {
    const { id, email } = await create({ permissions: ['gold.buys.read'] });
    const row = await lastAudit();
    expect(row).toMatchObject({
      action: 'portal-user.create',
      actorApi: 'accounting',
      actorId: boss.portalUserId,
      targetType: 'portal_user',
      targetId: id,
      before: null,
      after: { email, role: 'viewer', active: true, permissions: ['gold.buys.read'] },
    });
    expect(JSON.stringify({ ...row, seq: 0 })).not.toMatch(/Asha|long enough|argon2/u);
    expect(row?.sealed).toMatch(/^v1\./u);
  });

  it('cannot have the email of another user', async () => {
    const { email } = await create();
    const again = await ask('POST', '/portal-users', newUser({ email: email.toUpperCase() }));
    expect(again).toMatchObject({ status: 409, code: 'CONFLICT', field: 'email' });
    const other = await create();
    const moved = await ask('PATCH', `/portal-users/${other.id}`, { email });
    expect(moved).toMatchObject({ status: 409, code: 'CONFLICT', field: 'email' });
  });

  it.each([
    ['no email', { email: 'staff' }, 'email'],
    ['no name', { name: '  ' }, 'name'],
    ['a name that is turned around', { name: 'Asha\u202eoaR' }, 'name'],
    ['a name that nobody sees', { name: '\u200b\u200b' }, 'name'],
    ['an unknown role', { role: 'owner' }, 'role'],
    ['a short password', { password: 'elevenchars' }, 'password'],
    ['an unknown permission', { permissions: ['gold.everything'] }, 'permissions.0'],
    ['a permission twice', { permissions: ['audit.read', 'audit.read'] }, 'permissions'],
  ])('is refused with %s', async (_what, wrong, field) => {
    const answer = await ask('POST', '/portal-users', newUser(wrong));
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });
});

const emails = async (query: string) => {
  const { body } = await ask('GET', `/portal-users?${query}`);
  return (body['items'] as { email: string }[]).map(({ email }) => email);
};

describe('the list', () => {
  it('is paged, newest first, and filtered by role, activity and a part of email or name', async () => {
    const first = await create({ role: 'auditor', name: 'Zubin Mistry' });
    system.clock.advance(1000);
    const second = await create({ role: 'auditor' });
    expect(await emails('role=auditor')).toEqual([second.email, first.email]);
    expect(await emails('role=auditor&limit=1&page=2')).toEqual([first.email]);
    expect(await emails('q=zubin%20M')).toEqual([first.email]);
    expect(
      await emails(`q=${encodeURIComponent(second.email.slice(0, 8).toUpperCase())}`),
    ).toContain(second.email);
    await ask('POST', `/portal-users/${first.id}/deactivate`);
    expect(await emails('role=auditor&active=true')).toEqual([second.email]);
    expect(await emails('role=auditor&active=false')).toEqual([first.email]);
    const { status, body } = await ask('GET', '/portal-users?role=auditor');
    expect({ status, total: body['total'] }).toEqual({ status: 200, total: 2 });
    expect(await ask('GET', '/portal-users?active=maybe')).toMatchObject({ status: 400 });
  });

  it('has every role and every permission', async () => {
    const roles = await ask('GET', '/portal-users/roles');
    expect(roles.body['items']).toEqual(
      portalRoles.map((role) => ({ role, permissions: defaultPermissions[role] })),
    );
    const all = await ask('GET', '/portal-users/permissions');
    expect(all.body['items']).toEqual(
      permissions.map((permission) => ({
        permission,
        needsSuperAdmin: administrationPermissions.some((one) => one === permission),
      })),
    );
  });

  it('has no user with an unknown id', async () => {
    const id = system.random.uuid();
    const answers = await Promise.all([
      ask('GET', `/portal-users/${id}`),
      ask('PATCH', `/portal-users/${id}`, { name: 'x' }),
      ask('POST', `/portal-users/${id}/deactivate`),
      ask('POST', `/portal-users/${id}/reset-password`, { password }),
      ask('PUT', `/portal-users/${id}/role`, { role: 'viewer' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe('a change', () => {
  it('of name and email is audited with before and after, and not if nothing changes', async () => {
    const { id, email } = await create();
    const changed = await ask('PATCH', `/portal-users/${id}`, { email: `X${email}`, name: 'Ravi' });
    expect(changed).toMatchObject({ status: 200, body: { email: `x${email}`, name: 'Ravi' } });
    const row = await lastAudit();
    expect(row).toMatchObject({
      action: 'portal-user.update',
      before: { email },
      after: { email: `x${email}` },
    });
    expect(await ask('PATCH', `/portal-users/${id}`, { name: 'Ravi' })).toMatchObject({
      status: 200,
    });
    expect((await lastAudit())?.id).toBe(row?.id);
    expect(await ask('PATCH', `/portal-users/${id}`, {})).toMatchObject({ status: 400 });
  });

  it('of the role sets its default permissions, which can then be replaced', async () => {
    const { id } = await create({ role: 'super_admin' });
    const role = await ask('PUT', `/portal-users/${id}/role`, { role: 'auditor' });
    expect(role.body).toMatchObject({ role: 'auditor', permissions: defaultPermissions.auditor });
    const own = ['gold.buys.read', 'gold.policy.write'];
    const list = await ask('PUT', `/portal-users/${id}/permissions`, { permissions: own });
    expect(list.body).toMatchObject({ role: 'auditor', permissions: own });
    expect((await lastAudit())?.action).toBe('portal-user.assign-permissions');
    const same = await ask('PUT', `/portal-users/${id}/role`, { role: 'auditor' });
    expect(same.body).toMatchObject({ permissions: own });
  });

  it('applies at the next request of the changed user', async () => {
    const { token, portalUserId: id } = await make.portalUser('viewer');
    expect(await as(token)('GET', '/portal-users')).toMatchObject({ code: 'PERMISSION_DENIED' });
    await ask('PUT', `/portal-users/${id}/permissions`, { permissions: ['portal_users.read'] });
    expect(await as(token)('GET', '/portal-users')).toMatchObject({ status: 200 });
  });
});

/** Serves the sign-in and calls `then` directly after the verification of a password. */
const serveWithVerified = async (then: () => Promise<unknown>): Promise<string> => {
  const hasher = hasherWithVerified(system.hasher, then);
  return (await serveAccountingApi(system, { clients: { hasher } })).url;
};

const deactivate = (id: string) => ask('POST', `/portal-users/${id}/deactivate`);
const reset = (id: string) =>
  ask('POST', `/portal-users/${id}/reset-password`, { password: 'another password' });

describe('a deactivation and a new password', () => {
  it.each([
    ['a deactivation', deactivate],
    ['a new password', reset],
  ])('%s ends every session, for good', async (_name, end) => {
    const user = await create();
    const tokens = await Promise.all(
      [1, 2].map(async () => String((await signIn(user.email, password)).body['token'])),
    );
    expect(await end(user.id)).toMatchObject({ status: 200 });
    await ask('POST', `/portal-users/${user.id}/activate`);
    for (const token of tokens) {
      expect(await as(token)('GET', '/auth/me')).toMatchObject({ status: 401 });
    }
    expect(await ask('GET', '/auth/me')).toMatchObject({ status: 200 });
  });

  it.each([
    ['a deactivation', deactivate],
    ['a new password', reset],
  ])('%s ends a sign-in whose password was verified already', async (_name, end) => {
    const user = await create();
    const slow = await serveWithVerified(() => end(user.id));
    const body = { email: user.email, password };
    expect(await createCaller(slow)('POST', '/auth/login', body)).toMatchObject({ status: 401 });
    expect(await system.db.portalSession.count({ where: { portalUserId: user.id } })).toBe(0);
  });

  it('ends the lock after failed sign-ins if it is a new password', async () => {
    const { id, email } = await create();
    for (let failures = 0; failures < 5; failures += 1) await signIn(email, 'wrong');
    expect(await signIn(email, password)).toMatchObject({ status: 429 });
    await reset(id);
    expect(await lastAudit()).toMatchObject({ action: 'portal-user.reset-password', targetId: id });
    expect(await signIn(email, password)).toMatchObject({ status: 401 });
    expect(await signIn(email, 'another password')).toMatchObject({ status: 200 });
  });
});

/** Deactivates all other super admins. */
const keepOnly = (...kept: readonly MadePortalUser[]) =>
  system.db.portalUser.updateMany({
    where: { role: 'super_admin', id: { notIn: kept.map(({ portalUserId }) => portalUserId) } },
    data: { active: false },
  });

const readers = permissions.filter((one) => !administrationPermissions.some((it) => it === one));

describe('the last super admin', () => {
  it('cannot be demoted, deactivated or lose the permission to assign permissions', async () => {
    const last = await make.portalUser();
    await keepOnly(last);
    const [call, path] = [as(last.token), `/portal-users/${last.portalUserId}`];
    const before = await system.db.auditLog.count();
    const refusals = [
      await call('PUT', `${path}/role`, { role: 'viewer' }),
      await call('POST', `${path}/deactivate`),
      await call('PUT', `${path}/permissions`, { permissions: readers }),
    ];
    expect(refusals.map(({ status, code }) => `${status} ${String(code)}`)).toEqual(
      Array.from({ length: 3 }, () => '409 CONFLICT'),
    );
    expect(await system.db.auditLog.count()).toBe(before);
    const fewer = permissions.filter((one) => one !== 'portal_users.create');
    expect(await call('PUT', `${path}/permissions`, { permissions: fewer })).toMatchObject({
      status: 200,
    });
  });

  it('is the last who may assign permissions, even beside other super admins', async () => {
    const [last, powerless] = [
      await make.portalUser(),
      await make.portalUser('super_admin', { permissions: readers }),
    ];
    await keepOnly(last, powerless);
    const path = `/portal-users/${last.portalUserId}`;
    expect(await as(last.token)('POST', `${path}/deactivate`)).toMatchObject({ status: 409 });
    const own = { permissions };
    await as(last.token)('PUT', `/portal-users/${powerless.portalUserId}/permissions`, own);
    expect(await as(last.token)('POST', `${path}/deactivate`)).toMatchObject({ status: 200 });
  });

  it.each([
    ['demote', 'PUT', '/role', { role: 'viewer' }],
    ['deactivate', 'POST', '/deactivate', undefined],
    ['disarm', 'PUT', '/permissions', { permissions: readers }],
  ])('stays when two %s each other at once', async (_name, method, end, body) => {
    for (let round = 0; round < 5; round += 1) {
      const pair = [await make.portalUser(), await make.portalUser()] as const;
      await keepOnly(...pair);
      const change = (by: MadePortalUser, whom: MadePortalUser) =>
        as(by.token)(method, `/portal-users/${whom.portalUserId}${end}`, body);
      await Promise.all([change(pair[0], pair[1]), change(pair[1], pair[0])]);
      const left = await system.db.portalUser.findMany({
        where: { role: 'super_admin', active: true },
      });
      const able = left.filter((user) => user.permissions.includes(administrationPermissions[5]));
      expect(able).toHaveLength(1);
    }
  });
});
