import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { hasherWithVerified } from '#test/support/verified-hasher.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { permissions, portalRoles } from './index.ts';
import { administrationPermissions, defaultPermissions } from './permissions.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let system: TestSystem;
let make: Factories;
let url: string;
let nobody: Caller;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  ({ url } = await serveAccountingApi(system));
  nobody = createCaller(url);
});

afterAll(async () => system.close());

const signIn = (email: string, password: string) =>
  nobody('POST', '/auth/login', { email, password });

const me = (token: string) => createCaller(url, { 'x-portal-token': token })('GET', '/auth/me');

const fail = async (email: string, times: number) => {
  for (let done = 0; done < times; done += 1) {
    expect(await signIn(email, 'wrong')).toMatchObject({
      status: 401,
      code: 'INVALID_CREDENTIALS',
    });
  }
};

const lastAudit = () => system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });

const checkInTurn = () => Promise.reject(new AppError('BUSY', { retryAfterSeconds: 1 }));

describe('signing in', () => {
  it('returns a token of 32 random bytes, of which only a hash is stored', async () => {
    const { portalUserId: id, email, password } = await make.portalUser('tax_officer');
    const { status, body } = await signIn(` ${email.toUpperCase()}`, password);
    expect(status).toBe(200);
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/u),
      expiresAt: new Date(system.clock.now().getTime() + 8 * hourMs).toISOString(),
      browserToken: expect.stringMatching(/^[0-9a-f]{32}-\d{5}\.[\w-]{43}$/u),
      mustEnrolSecondFactor: false,
      user: {
        id,
        email,
        name: 'Staff',
        role: 'tax_officer',
        permissions: defaultPermissions.tax_officer,
      },
    });
    const token = String(body['token']);
    const sessions = await system.db.portalSession.findMany({ where: { portalUserId: id } });
    expect(sessions.map(({ tokenHash }) => tokenHash)).toContain(hashToken(token));
    expect(JSON.stringify(sessions)).not.toContain(token);
    expect(await me(token)).toMatchObject({ status: 200, body: { id, email } });
  });

  it('has one 401 for an unknown e-mail, a wrong password and an inactive user', async () => {
    const known = await make.portalUser();
    const gone = await make.portalUser();
    const where = { id: gone.portalUserId };
    await system.db.portalUser.update({ where, data: { active: false } });
    const answers = [
      await signIn('nobody@example.test', 'correct horse'),
      await signIn(known.email, 'wrong'),
      await signIn(gone.email, gone.password),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
      expect(answer.body['error']).toMatchObject({
        message: 'Your sign-in details are incorrect.',
      });
    }
  });

  it('writes an audit row with the user and the address', async () => {
    const { portalUserId, email, password } = await make.portalUser('auditor');
    const { body } = await signIn(email, password);
    const row = await lastAudit();
    expect(row).toMatchObject({
      action: 'accounting.sign-in',
      outcome: 'DONE',
      actorApi: 'accounting',
      actorId: portalUserId,
      actorEmail: email,
      actorRole: 'auditor',
      ip: '127.0.0.1',
    });
    const everything = JSON.stringify(row, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(everything).not.toContain(String(body['token']));
  });

  it('writes an audit row for a refusal, without the credentials', async () => {
    system.clock.advance(minuteMs);
    await signIn('typo@example.test', 'my other password');
    const row = await lastAudit();
    expect(row).toMatchObject({
      action: 'accounting.sign-in.refused',
      outcome: 'REFUSED',
      actorApi: 'accounting',
      after: {
        code: 'INVALID_CREDENTIALS',
        emailHash: system.blindIndex('email', 'typo@example.test'),
      },
    });
    expect(row?.ip).not.toBe('');
    const everything = JSON.stringify(row, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(everything).not.toMatch(/typo|my other password/u);
    expect(system.logged()).not.toContain('my other password');
  });

  it('writes an audit row for a refusal because too many sign-ins wait', async () => {
    const hasher = { ...system.hasher, checkInTurn };
    const full = await serveAccountingApi(system, { clients: { hasher } });
    system.clock.advance(60_000);
    const body = { email: 'late@example.test', password: 'my other password' };
    const answer = await createCaller(full.url)('POST', '/auth/login', body);
    expect(answer).toMatchObject({ status: 503, code: 'BUSY' });
    expect(await lastAudit()).toMatchObject({
      action: 'accounting.sign-in.refused',
      outcome: 'REFUSED',
      after: { code: 'BUSY', emailHash: expect.any(String) },
    });
  });

  it('locks an e-mail for 30 minutes after five failures in 15', async () => {
    const { email, password } = await make.portalUser();
    await fail(email, 5);
    system.clock.advance(minuteMs);
    const locked = await signIn(email, password);
    expect(locked).toMatchObject({ status: 429, code: 'LOGIN_LOCKED' });
    expect(locked.headers.get('retry-after')).toBe(String(29 * 60));
    expect(await lastAudit()).toMatchObject({ after: { code: 'LOGIN_LOCKED' } });
    system.clock.advance(30 * minuteMs);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
  });

  it('checks only five of twenty concurrent guesses', async () => {
    const { email } = await make.portalUser();
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(email, 'wrong')));
    const count = (code: string) => answers.filter((answer) => answer.code === code).length;
    expect([count('INVALID_CREDENTIALS'), count('LOGIN_LOCKED')]).toEqual([5, 15]);
  });

  it("is counted separately from the operators' sign-ins", async () => {
    const { email } = await make.portalUser();
    await fail(email, 5);
    expect(await system.db.adminLoginCaller.count({ where: { email } })).toBe(0);
  });
});

describe('a sign-in', () => {
  it.each([
    ['a password that was replaced', { passwordHash: 'another hash' }],
    ['a user who was deactivated', { active: false }],
  ])('opens no session for %s while it was verified', async (_name, data) => {
    const { portalUserId, email, password } = await make.portalUser();
    const hasher = hasherWithVerified(system.hasher, () =>
      system.db.portalUser.update({ where: { id: portalUserId }, data }),
    );
    const slow = await serveAccountingApi(system, { clients: { hasher } });
    const before = await system.db.portalSession.count({ where: { portalUserId } });
    const answer = await createCaller(slow.url)('POST', '/auth/login', { email, password });
    expect(answer).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    expect(await system.db.portalSession.count({ where: { portalUserId } })).toBe(before);
  });
});

describe('a session', () => {
  it('ends after eight hours', async () => {
    const { token } = await make.portalUser();
    system.clock.advance(8 * hourMs - 1);
    expect(await me(token)).toMatchObject({ status: 200 });
    system.clock.advance(1);
    expect(await me(token)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('ends with sign-out, which ends no other session', async () => {
    const { token, email, password } = await make.portalUser();
    const other = String((await signIn(email, password)).body['token']);
    const call = createCaller(url, { 'x-portal-token': token });
    expect(await call('POST', '/auth/logout')).toMatchObject({ status: 204 });
    expect(await me(token)).toMatchObject({ status: 401 });
    expect(await call('POST', '/auth/logout')).toMatchObject({ status: 401 });
    expect(await me(other)).toMatchObject({ status: 200 });
  });

  it('is identified only by its header', async () => {
    const { token } = await make.portalUser();
    const admin = await make.admin();
    const customer = await make.customer();
    const headers = [
      {},
      { authorization: `Bearer ${token}` },
      { 'x-portal-token': admin.token },
      { 'x-portal-token': customer.token },
      { 'x-portal-token': `${token}A` },
      { 'x-portal-token': hashToken(token) },
      { 'x-portal-token': "' OR 1=1 --" },
    ];
    for (const each of headers) {
      expect(await createCaller(url, each)('GET', '/auth/me')).toMatchObject({ status: 401 });
    }
  });

  it('is not needed for health', async () => {
    expect(await nobody('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});

describe('roles and permissions', () => {
  it('are 8 and 25, and each role has different defaults', () => {
    expect([portalRoles.length, permissions.length]).toEqual([8, 25]);
    expect(new Set(permissions).size).toBe(25);
    const sets = portalRoles.map((role) => defaultPermissions[role].toSorted().join());
    expect(new Set(sets).size).toBe(8);
  });

  it('give the six permissions of administration only to super admins', () => {
    expect(administrationPermissions).toHaveLength(6);
    for (const role of portalRoles) {
      const held = administrationPermissions.filter((one) =>
        defaultPermissions[role].includes(one),
      );
      expect(held).toHaveLength(role === 'super_admin' ? 6 : 0);
    }
  });
});
