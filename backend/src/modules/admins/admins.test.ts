import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { createGate } from '#test/support/gate.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { runPurges } from '#test/support/run-purges.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';
import { hasherWithVerified } from '#test/support/verified-hasher.ts';
import { defineRoute, ok } from '../../platform/http/index.ts';
import {
  adminAccess,
  anyAdmin,
  createAdminChanges,
  createAdmins,
  createAdminSignInPurge,
} from './index.ts';

const minuteMs = 60_000;
const shiftSeconds = 8 * 60 * 60;

let system: TestSystem;
let make: Factories;
let url: string;
let nobody: Caller;

const probe = (path: string, access: typeof anyAdmin) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Answers who is asking',
    tags: [],
    access,
    responses: { 200: z.object({ role: z.string() }) },
    handler: async ({ principal }) => ok({ role: principal.role }),
  });

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const { adminRoutes, guard } = createAdmins({ ...system, tokenTtlSeconds: shiftSeconds });
  const routes = [
    ...adminRoutes,
    probe('/any', anyAdmin),
    probe('/admins', adminAccess('ADMIN')),
    probe('/both', adminAccess('SUPER_ADMIN', 'ADMIN')),
  ];
  url = await system.serve({ prefix: '/v1', routes, guard });
  nobody = bearerCaller(url);
});

afterAll(async () => system.close());

const signIn = (email: string, password: string) =>
  nobody('POST', '/auth/login', { email, password });

const changesOf = () => createAdminChanges({ ...system, audit: async () => {} });
const ask = (path: string, token?: string) => bearerCaller(url, token)('GET', path);

/** Serves sign-ins that run `then` after they have checked the password. */
const serveWithVerified = async (then: () => Promise<unknown>): Promise<string> => {
  const hasher = hasherWithVerified(system.hasher, then);
  return (await serveAdminApi(system, { clients: { hasher } })).url;
};

const fail = async (email: string, times: number) => {
  for (let done = 0; done < times; done += 1) {
    expect(await signIn(email, 'wrong')).toMatchObject({
      status: 401,
      code: 'INVALID_CREDENTIALS',
    });
  }
};

describe('sign-in', () => {
  it('returns a token for eight hours with the subject, the email and the role', async () => {
    const { adminId, email, password } = await make.admin('SUPPORT');
    const answer = await signIn(` ${email.toUpperCase()} `, password);
    expect(answer).toMatchObject({
      status: 200,
      body: { expiresIn: shiftSeconds, admin: { id: adminId, email, role: 'SUPPORT' } },
    });
    const claims = jwt.decode(String(answer.body['accessToken']));
    expect(claims).toMatchObject({ sub: adminId, email, role: 'SUPPORT' });
    expect(JSON.stringify(answer.body)).not.toContain('argon2');
    expect(await ask('/any', String(answer.body['accessToken']))).toMatchObject({ status: 200 });
  });

  it('answers the same 401 for an unknown email, a wrong password and an inactive operator', async () => {
    const known = await make.admin();
    const inactive = await make.admin();
    await system.db.adminUser.update({ where: { id: inactive.adminId }, data: { active: false } });
    const answers = [
      await signIn('nobody@example.test', 'correct horse'),
      await signIn(known.email, 'wrong'),
      await signIn(inactive.email, inactive.password),
    ];
    const refusals = answers.map(({ status, body }) => {
      const { requestId: _requestId, ...error } = Object(body['error']);
      return { status, error };
    });
    expect(refusals).toEqual([refusals[0], refusals[0], refusals[0]]);
    expect(refusals[0]).toMatchObject({ status: 401, error: { code: 'INVALID_CREDENTIALS' } });
  });

  it.each([
    ['no body', undefined, 'email'],
    ['no e-mail address', { email: 'admin', password: 'x' }, 'email'],
    ['an empty password', { email: 'a@example.test', password: '' }, 'password'],
    ['an endless password', { email: 'a@example.test', password: 'x'.repeat(257) }, 'password'],
  ])('refuses %s', async (_name, body, field) => {
    const answer = await nobody('POST', '/auth/login', body);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });

  it('keeps the password out of the log', async () => {
    const { email } = await make.admin('ADMIN', { password: 'a very secret password' });
    await signIn(email, 'a very secret password');
    expect(system.logged()).not.toContain('a very secret password');
  });
});

describe('throttling', () => {
  it('locks an email for 30 minutes after five failures in 15 minutes', async () => {
    const { email, password } = await make.admin();
    const other = await make.admin();
    await fail(email, 5);
    const locked = await signIn(email, password);
    expect(locked).toMatchObject({ status: 429, code: 'LOGIN_LOCKED' });
    expect(locked.headers.get('retry-after')).toBe(String(30 * 60));
    expect(await signIn(other.email, other.password)).toMatchObject({ status: 200 });

    system.clock.advance(29 * minuteMs);
    const later = await signIn(email, password);
    expect(later.headers.get('retry-after')).toBe('60');
    system.clock.advance(minuteMs);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
  });

  it('locks an unregistered email in the same way', async () => {
    await fail('stranger@example.test', 5);
    expect(await signIn('Stranger@example.test', 'x')).toMatchObject({ status: 429 });
  });

  it('does not count failures that are older than 15 minutes', async () => {
    const { email, password } = await make.admin();
    await fail(email, 4);
    system.clock.advance(15 * minuteMs);
    await fail(email, 4);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
  });

  it('resets the count of failures after a success', async () => {
    const { email, password } = await make.admin();
    await fail(email, 4);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
    await fail(email, 4);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
  });

  it('judges five of twenty concurrent guesses', async () => {
    const { email } = await make.admin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(email, 'wrong')));
    const count = (code: string) => answers.filter((answer) => answer.code === code).length;
    expect([count('INVALID_CREDENTIALS'), count('LOGIN_LOCKED')]).toEqual([5, 15]);
  });

  it('does not lock for longer if the clock is set back', async () => {
    const { email, password } = await make.admin();
    await fail(email, 5);
    system.clock.advance(-60 * minuteMs);
    expect(await signIn(email, password)).toMatchObject({ status: 200 });
    system.clock.advance(60 * minuteMs);
  });
});

describe('the guard', () => {
  it('admits exactly the roles of the route', async () => {
    const [boss, admin, support] = await Promise.all([
      make.admin('SUPER_ADMIN'),
      make.admin('ADMIN'),
      make.admin('SUPPORT'),
    ]);
    const statuses = await Promise.all(
      [boss, admin, support].map(async ({ token }) =>
        Promise.all(
          ['/any', '/admins', '/both'].map(async (path) => (await ask(path, token)).status),
        ),
      ),
    );
    expect(statuses).toEqual([
      [200, 403, 200],
      [200, 200, 200],
      [200, 403, 403],
    ]);
  });

  it('checks the stored role and active flag at the next request', async () => {
    const { adminId: id, token } = await make.admin('SUPER_ADMIN');
    await system.db.adminUser.update({ where: { id }, data: { role: 'SUPPORT' } });
    expect(await ask('/both', token)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await ask('/any', token)).toMatchObject({ status: 200, body: { role: 'SUPPORT' } });
    await system.db.adminUser.update({ where: { id }, data: { role: 'ADMIN' } });
    expect(await ask('/both', token)).toMatchObject({ status: 200 });
    await system.db.adminUser.update({ where: { id }, data: { active: false } });
    expect(await ask('/any', token)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('refuses a token from before a change of the password, and accepts a token from after it', async () => {
    const { email, token } = await make.admin('SUPPORT');
    const other = await make.admin('SUPPORT');
    system.clock.advance(1000);
    await changesOf().resetPassword(email, 'another long secret');
    expect(await ask('/any', token)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await ask('/any', other.token)).toMatchObject({ status: 200 });
    const { body } = await signIn(email, 'another long secret');
    expect(await ask('/any', String(body['accessToken']))).toMatchObject({ status: 200 });
  });

  it('refuses a token from the same second before a change of the password', async () => {
    const intoSecondMs = system.clock.now().getTime() % 1000;
    system.clock.advance(1100 - intoSecondMs);
    const { email, token } = await make.admin('SUPPORT');
    system.clock.advance(10);
    await changesOf().resetPassword(email, 'a new secret');
    expect(await ask('/any', token)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const { body } = await signIn(email, 'a new secret');
    expect(await ask('/any', String(body['accessToken']))).toMatchObject({ status: 200 });
  });

  it('refuses a token from before a deactivation, even after the operator is active again', async () => {
    const { email, password, token } = await make.admin('SUPPORT');
    system.clock.advance(1000);
    await changesOf().setActive(email, false);
    await changesOf().setActive(email, true);
    expect(await ask('/any', token)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const { body } = await signIn(email, password);
    expect(await ask('/any', String(body['accessToken']))).toMatchObject({ status: 200 });
  });

  it.each([
    ['reset', (email: string) => changesOf().resetPassword(email, 'a later secret')],
    ['deactivation', (email: string) => changesOf().setActive(email, false)],
  ])('refuses a sign-in whose password was right until a %s', async (_name, change) => {
    const { email, password } = await make.admin('SUPPORT');
    const slow = await serveWithVerified(() => change(email));
    const answer = await bearerCaller(slow)('POST', '/auth/login', { email, password });
    expect(answer).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
  });

  it('refuses the token of a sign-in during which the operator was deactivated', async () => {
    const { email, password } = await make.admin('SUPPORT');
    const [locked, gate] = [createGate(), createGate()];
    const holding: { done: Promise<void> } = { done: Promise.resolve() };
    // After the check of the password, the sign-in waits for the lock of its count.
    const slow = await serveWithVerified(async () => {
      holding.done = system.inTransaction(async (tx) => {
        await tx.$queryRaw`SELECT email FROM admin_login_caller WHERE email = ${email} FOR UPDATE`;
        locked.open();
        await gate.opened;
      });
      await locked.opened;
    });
    const signingIn = bearerCaller(slow)('POST', '/auth/login', { email, password });
    await eventually(async () => {
      const waiting = await system.db.$queryRaw<unknown[]>`
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(1);
    });
    await changesOf().setActive(email, false);
    await changesOf().setActive(email, true);
    system.clock.advance(1100);
    gate.open();
    await holding.done;
    const { body } = await signingIn;
    expect(await ask('/any', String(body['accessToken']))).toMatchObject({ status: 401 });
    const again = await signIn(email, password);
    expect(await ask('/any', String(again.body['accessToken']))).toMatchObject({ status: 200 });
  });

  it('refuses a token from between two changes in one second', async () => {
    const intoSecondMs = system.clock.now().getTime() % 1000;
    system.clock.advance(1100 - intoSecondMs);
    const { email } = await make.admin('SUPPORT');
    await changesOf().resetPassword(email, 'the first secret');
    system.clock.advance(10);
    const { body } = await signIn(email, 'the first secret');
    system.clock.advance(10);
    await changesOf().resetPassword(email, 'the second secret');
    expect(await ask('/any', String(body['accessToken']))).toMatchObject({ status: 401 });
    const again = await signIn(email, 'the second secret');
    expect(await ask('/any', String(again.body['accessToken']))).toMatchObject({ status: 200 });
  });

  it('refuses a token from before a change by a slower clock', async () => {
    const { email, password } = await make.admin('SUPPORT');
    const { body } = await signIn(email, password);
    system.clock.advance(-minuteMs);
    await changesOf().resetPassword(email, 'yet another secret');
    expect(await ask('/any', String(body['accessToken']))).toMatchObject({ status: 401 });
    const again = await signIn(email, 'yet another secret');
    expect(await ask('/any', String(again.body['accessToken']))).toMatchObject({ status: 200 });
    system.clock.advance(minuteMs);
  });

  it("refuses a customer's token, which is signed with the same secret", async () => {
    const { token, userId } = await make.customer();
    expect(await ask('/any', token)).toMatchObject({ status: 401 });
    const posing = system.tokens.sign({ sub: userId, email: 'a@example.test', role: 'ADMIN' }, 60);
    expect(await ask('/any', posing)).toMatchObject({ status: 401 });
  });

  it('refuses a missing, an unsigned and an expired token, and one of another secret', async () => {
    const { adminId: sub, email, role, token } = await make.admin();
    const claims = { sub, email, role, exp: 4_000_000_000 };
    expect(await ask('/any')).toMatchObject({ status: 401 });
    expect(await ask('/any', jwt.sign(claims, 'another secret of many characters'))).toMatchObject({
      status: 401,
    });
    const unsigned = jwt.sign(claims, '', { algorithm: 'none' });
    expect(await ask('/any', unsigned)).toMatchObject({ status: 401 });
    system.clock.advance(shiftSeconds * 1000 + 1000);
    expect(await ask('/any', token)).toMatchObject({ status: 401 });
  });

  it('checks the credential before the path and the body', async () => {
    expect(await ask('/nothing')).toMatchObject({ status: 404 });
    expect(await nobody('POST', '/auth/logout', '{broken')).toMatchObject({ status: 401 });
  });

  it('signs out with 204, and the token stays valid', async () => {
    const { token } = await make.admin('SUPPORT');
    expect(await bearerCaller(url, token)('POST', '/auth/logout')).toMatchObject({ status: 204 });
    expect(await ask('/any', token)).toMatchObject({ status: 200 });
  });
});

describe('counts of failed sign-ins', () => {
  it('are kept while they have an effect, and deleted after that', async () => {
    const email = 'nobody-at-all@digital-gold.example';
    const count = () => system.database.db.adminLoginCaller.count({ where: { email } });
    await fail(email, 1);
    await runPurges([createAdminSignInPurge(system)]);
    expect(await count()).toBe(2);
    system.clock.advance(46 * minuteMs);
    await runPurges([createAdminSignInPurge(system)]);
    expect(await count()).toBe(0);
  });
});
