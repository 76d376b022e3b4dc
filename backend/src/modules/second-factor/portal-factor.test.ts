import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { createFactories, type Factories, type MadePortalUser } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { totpCode } from '../../platform/auth/totp.ts';
import { createSystemClock } from '../../platform/clock/clock.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

/** The phone's clock shows real time, which does not follow the business clock. */
const wall = createManualClock(createSystemClock().now());

let system: TestSystem;
let make: Factories;
let urls: Readonly<Record<'optional' | 'required', string>>;

beforeAll(async () => {
  system = await openTestSystem({ wall });
  make = createFactories(system);
  const env = { SECOND_FACTOR_REQUIRED: 'true' };
  const required = await serveAccountingApi(system, { env });
  urls = { optional: (await serveAccountingApi(system)).url, required: required.url };
});

afterAll(async () => system.close());

const as = (token?: string, url = urls.optional) =>
  createCaller(url, token === undefined ? {} : { 'x-portal-token': token });
const signIn = (user: MadePortalUser, more: object = {}, url = urls.optional) =>
  as(undefined, url)('POST', '/auth/login', {
    email: user.email,
    password: user.password,
    ...more,
  });

const enrol = async (user: MadePortalUser, url = urls.optional) => {
  const session = as(user.token, url);
  const { body } = await session('POST', '/auth/second-factor/enrol', { password: user.password });
  const secret = String(body['secret']);
  const code = totpCode(secret, wall.now());
  const confirmed = await session('POST', '/auth/second-factor/confirm', { code });
  expect(confirmed).toMatchObject({ status: 200 });
  wall.advance(30_000);
  return { secret, recoveryCodes: confirmed.body['recoveryCodes'] as string[] };
};

describe('the authenticator app of a portal user', () => {
  it('is required at sign-in, and ends the other sessions', async () => {
    const user = await make.portalUser('accountant');
    const other = String((await signIn(user)).body['token']);
    const { secret, recoveryCodes } = await enrol(user);
    expect(await as(other)('GET', '/auth/me')).toMatchObject({ status: 401 });
    expect(await as(user.token)('GET', '/auth/me')).toMatchObject({ status: 200 });
    expect(await signIn(user)).toMatchObject({ status: 401, code: 'SECOND_FACTOR_REQUIRED' });
    const code = totpCode(secret, wall.now());
    expect(await signIn(user, { code })).toMatchObject({ status: 200 });
    expect(await signIn(user, { code })).toMatchObject({ code: 'SECOND_FACTOR_INVALID' });
    const [recovery = ''] = recoveryCodes;
    expect(await signIn(user, { code: recovery })).toMatchObject({ status: 200 });
    expect(await signIn(user, { code: recovery })).toMatchObject({ status: 403 });
    // The code of another person is refused.
    const stranger = await make.portalUser('viewer');
    await enrol(stranger);
    expect(await signIn(stranger, { code: String(recoveryCodes[1]) })).toMatchObject({
      code: 'SECOND_FACTOR_INVALID',
    });
  });

  it('is removed by a super admin who could set the password', async () => {
    const user = await make.portalUser('finance_head');
    await enrol(user);
    const path = `/portal-users/${user.portalUserId}/second-factor/disable`;
    const body = { reason: 'lost the phone' };
    const auditor = await make.portalUser('auditor');
    const denied = { status: 403, code: 'PERMISSION_DENIED' };
    expect(await as(auditor.token)('POST', path, body)).toMatchObject(denied);
    const weak = await make.portalUser('super_admin', {
      permissions: ['portal_users.reset_password'],
    });
    expect(await as(weak.token)('POST', path, body)).toMatchObject(denied);
    const boss = await make.portalUser('super_admin');
    const own = `/portal-users/${boss.portalUserId}/second-factor/disable`;
    expect(await as(boss.token)('POST', own, body)).toMatchObject(denied);
    expect(await as(boss.token)('POST', path, body)).toMatchObject({ status: 200 });
    expect(await as(boss.token)('POST', path, body)).toMatchObject({ status: 409 });
    expect(await as(user.token)('GET', '/auth/me')).toMatchObject({ status: 401 });
    expect(await signIn(user)).toMatchObject({ status: 200 });
    const action = 'portal-user.second-factor.disable';
    const row = await system.db.auditLog.findFirstOrThrow({ where: { action } });
    expect(row).toMatchObject({ actorId: boss.portalUserId, targetId: user.portalUserId });
    expect(row.sealed).not.toBeNull();
  });

  it('admits a person without one only to its set-up if it is required', async () => {
    const user = await make.portalUser('auditor');
    const url = urls.required;
    const signedIn = await signIn(user, {}, url);
    expect(signedIn).toMatchObject({ status: 200, body: { mustEnrolSecondFactor: true } });
    const token = String(signedIn.body['token']);
    expect(await as(token, url)('GET', '/portal-users')).toMatchObject({
      status: 403,
      code: 'SECOND_FACTOR_NOT_ENROLLED',
    });
    const refused = await system.db.auditLog.findFirst({
      where: { actorId: user.portalUserId, action: 'accounting.refused' },
    });
    expect(refused?.after).toMatchObject({ code: 'SECOND_FACTOR_NOT_ENROLLED' });
    await enrol({ ...user, token }, url);
    expect(await as(token, url)('GET', '/portal-users')).toMatchObject({ status: 200 });
  });
});

describe("one's own password", () => {
  it('is changed only with the current one, and the change ends the other sessions', async () => {
    const user = await make.portalUser('viewer');
    const other = String((await signIn(user)).body['token']);
    const change = (currentPassword: string, newPassword: string) =>
      as(user.token)('POST', '/auth/password', { currentPassword, newPassword });
    const next = 'a stable for every horse';
    expect(await change('wrong', next)).toMatchObject({ status: 403, code: 'WRONG_PASSWORD' });
    expect(await change(user.password, 'short')).toMatchObject({
      status: 400,
      field: 'newPassword',
    });
    expect(await change(user.password, next)).toMatchObject({ status: 204 });
    expect(await as(other)('GET', '/auth/me')).toMatchObject({ status: 401 });
    expect(await as(user.token)('GET', '/auth/me')).toMatchObject({ status: 200 });
    expect(await signIn(user)).toMatchObject({ status: 401 });
    expect(await signIn({ ...user, password: next })).toMatchObject({ status: 200 });
  });
});
