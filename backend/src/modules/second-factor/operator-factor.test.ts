import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { createFactories, type Factories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { runPurges } from '#test/support/run-purges.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';
import { otherCode } from '#test/support/session-calls.ts';
import { parseCommand } from '../../apps/operator/parse-command.ts';
import { runOperatorCommand } from '../../apps/operator/run-command.ts';
import { totpCode } from '../../platform/auth/totp.ts';
import { addSeconds, createSystemClock } from '../../platform/clock/clock.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createVault, parseKeyring } from '../../platform/crypto/index.ts';
import { createAdminSignInPurge } from '../admins/index.ts';
import { countOutdatedFactors, resealFactors } from './index.ts';

/** The phone's clock shows real time, which does not follow the business clock. */
const wall = createManualClock(createSystemClock().now());
const halfMinuteMs = 30_000;

let system: TestSystem;
let make: Factories;
/** The same operators, with and without SECOND_FACTOR_REQUIRED. */
let urls: Readonly<Record<'optional' | 'required', string>>;

beforeAll(async () => {
  system = await openTestSystem({ wall });
  make = createFactories(system);
  const required = await serveAdminApi(system, { env: { SECOND_FACTOR_REQUIRED: 'true' } });
  urls = { optional: (await serveAdminApi(system)).url, required: required.url };
});

afterAll(async () => system.close());

const as = (token?: string, url = urls.optional) => bearerCaller(url, token);
const signIn = (operator: MadeAdmin, more: object = {}, url = urls.optional) =>
  as(undefined, url)('POST', '/auth/login', {
    email: operator.email,
    password: operator.password,
    ...more,
  });
const codeNow = (secret: string, seconds = 0) => totpCode(secret, addSeconds(wall.now(), seconds));
/** Begins the next period, whose code was not used yet. */
const nextPeriod = () => wall.advance(halfMinuteMs);

/** Sets up the authenticator app of an operator. */
const enrol = async (operator: MadeAdmin, url = urls.optional) => {
  const session = as(operator.token, url);
  const { body } = await session('POST', '/auth/second-factor/enrol', {
    password: operator.password,
  });
  const secret = String(body['secret']);
  const confirmed = await session('POST', '/auth/second-factor/confirm', {
    code: codeNow(secret),
  });
  expect(confirmed).toMatchObject({ status: 200 });
  nextPeriod();
  const recoveryCodes = confirmed.body['recoveryCodes'] as string[];
  return { secret, recoveryCodes, token: String(confirmed.body['accessToken']) };
};

describe('the authenticator app of an operator', () => {
  it('is required at sign-in after its first code', async () => {
    const operator = await make.admin('ADMIN');
    const session = as(operator.token);
    const wrong = await session('POST', '/auth/second-factor/enrol', { password: 'no' });
    expect(wrong).toMatchObject({ status: 403, code: 'WRONG_PASSWORD' });
    const { body } = await session('POST', '/auth/second-factor/enrol', {
      password: operator.password,
    });
    const secret = String(body['secret']);
    expect(body['address']).toMatch(/^otpauth:\/\/totp\/Digital%20Gold:/u);
    // The factor is not confirmed yet, since a secret that never reached a phone must lock no one out.
    expect(await signIn(operator)).toMatchObject({ status: 200 });
    const confirm = (code: string) => session('POST', '/auth/second-factor/confirm', { code });
    const off = codeNow(secret, -90);
    expect(await confirm(off)).toMatchObject({ status: 403, code: 'SECOND_FACTOR_INVALID' });
    const { body: confirmed } = await confirm(codeNow(secret));
    expect(confirmed['recoveryCodes']).toHaveLength(10);
    const own = as(String(confirmed['accessToken']));
    expect(await own('GET', '/auth/second-factor')).toMatchObject({
      body: { state: 'ACTIVE', required: false, recoveryCodesLeft: 10 },
    });

    expect(await signIn(operator)).toMatchObject({ status: 401, code: 'SECOND_FACTOR_REQUIRED' });
    // The existence of a factor is not revealed without the password.
    const guess = await signIn({ ...operator, password: 'wrong' }, { code: '000000' });
    expect(guess).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    nextPeriod();
    const spaced = codeNow(secret).replace(/^.../u, '$& ');
    expect(await signIn(operator, { code: spaced })).toMatchObject({ status: 200 });
    const stored = JSON.stringify(await system.db.secondFactor.findMany());
    expect(stored).not.toContain(secret);
    expect(system.logged()).not.toContain(secret);
  });

  it('ends the sign-ins that were made without a code', async () => {
    const operator = await make.admin('ADMIN');
    const earlier = String((await signIn(operator)).body['accessToken']);
    const { token } = await enrol({ ...operator, token: earlier });
    for (const ended of [operator.token, earlier]) {
      expect(await as(ended)('GET', '/auth/second-factor')).toMatchObject({ status: 401 });
    }
    expect(await as(token)('GET', '/auth/second-factor')).toMatchObject({ status: 200 });
  });

  it('accepts no code twice, and no code that is older than an accepted one', async () => {
    const operator = await make.admin();
    const { secret } = await enrol(operator);
    const [before, now] = [codeNow(secret, -30), codeNow(secret)];
    expect(await signIn(operator, { code: now })).toMatchObject({ status: 200 });
    for (const code of [now, before]) {
      const again = await signIn(operator, { code });
      expect(again).toMatchObject({ status: 403, code: 'SECOND_FACTOR_INVALID' });
    }
  });

  it('admits only one of four sign-ins with the same code', async () => {
    const operator = await make.admin();
    const { secret, recoveryCodes } = await enrol(operator);
    for (const code of [codeNow(secret), String(recoveryCodes[0])]) {
      system.clock.advance(31 * 60_000);
      const tries = Array.from({ length: 4 }, () => signIn(operator, { code }));
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    }
  });

  it.each([
    ['one period late', -30, 200],
    ['one period early', 30, 200],
    ['two periods late', -60, 403],
    ['two periods early', 60, 403],
  ])('judges a code that is %s', async (_name, seconds, status) => {
    const operator = await make.admin();
    const { secret } = await enrol(operator);
    // The code of the confirmation is used up.
    nextPeriod();
    nextPeriod();
    expect((await signIn(operator, { code: codeNow(secret, seconds) })).status).toBe(status);
  });

  it('can be replaced once by each recovery code', async () => {
    const operator = await make.admin();
    const { secret, recoveryCodes } = await enrol(operator);
    const [first = '', second = ''] = recoveryCodes;
    const typed = first.toLowerCase().replaceAll('-', ' ');
    const signedIn = await signIn(operator, { code: typed });
    expect(signedIn).toMatchObject({ status: 200 });
    expect(await signIn(operator, { code: first })).toMatchObject({ status: 403 });
    const session = as(String(signedIn.body['accessToken']));
    expect(await session('GET', '/auth/second-factor')).toMatchObject({
      body: { recoveryCodesLeft: 9 },
    });
    const renewed = await session('POST', '/auth/second-factor/recovery-codes', {
      password: operator.password,
      code: codeNow(secret),
    });
    expect(renewed.body['recoveryCodes']).toHaveLength(10);
    expect(await signIn(operator, { code: second })).toMatchObject({ status: 403 });
    const [fresh = ''] = renewed.body['recoveryCodes'] as string[];
    expect(await signIn(operator, { code: fresh })).toMatchObject({ status: 200 });
    const rows = await system.db.auditLog.findMany({
      where: { actorId: operator.adminId, action: 'admin.sign_in' },
      orderBy: { seq: 'asc' },
    });
    expect(rows.map(({ after }) => after)).toContainEqual({ secondFactor: 'recovery code' });
    expect(JSON.stringify(rows.map(({ seq: _seq, ...row }) => row))).not.toContain(first);
  });

  it('is set up again only after a super admin has removed it', async () => {
    const operator = await make.admin('SUPPORT');
    const { token, secret } = await enrol(operator);
    const again = await as(token)('POST', '/auth/second-factor/enrol', {
      password: operator.password,
    });
    expect(again).toMatchObject({ status: 409, code: 'CONFLICT' });

    const boss = await make.admin('SUPER_ADMIN');
    const path = `/operators/${operator.adminId}/second-factor/disable`;
    const body = { reason: 'lost the phone' };
    expect(await as(token)('POST', path, body)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const own = `/operators/${boss.adminId}/second-factor/disable`;
    expect(await as(boss.token)('POST', own, body)).toMatchObject({ status: 403 });
    expect(await as(boss.token)('POST', path, {})).toMatchObject({ status: 400 });
    expect(await as(boss.token)('POST', path, body)).toMatchObject({
      status: 200,
      body: { id: operator.adminId, hasSecondFactor: false },
    });
    expect(await as(boss.token)('POST', path, body)).toMatchObject({ status: 409 });
    expect(await as(token)('GET', '/auth/second-factor')).toMatchObject({ status: 401 });
    nextPeriod();
    // A code is not required, and ignored if it is given.
    expect(await signIn(operator, { code: codeNow(secret) })).toMatchObject({ status: 200 });
    const row = await system.db.auditLog.findFirstOrThrow({
      where: { targetId: operator.adminId, action: 'admin.second_factor.disable' },
    });
    expect(row).toMatchObject({ actorId: boss.adminId, after: { secondFactor: 'NONE' } });
    expect(row.sealed).not.toBeNull();
  });

  it('is removed by the operator command if there is no other super admin', async () => {
    const operator = await make.admin('SUPER_ADMIN');
    await enrol(operator);
    const run = (reason: string) =>
      runOperatorCommand(
        parseCommand(['admin', 'disable-second-factor', '--email', operator.email]),
        {
          ...system,
          databaseUrl: 'unused',
          openVault: async () => system.vault,
          openKeys: () => ({ add: async () => 'ks1', rewrap: async () => 0 }),
          readInput: async () => reason,
        },
      );
    await expect(run(' ')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await run('the only phone is lost')).toMatchObject({ email: operator.email });
    expect(await signIn(operator)).toMatchObject({ status: 200 });
  });
});

describe('codes by a person who knows the password', () => {
  it('are limited for a day, without an effect on a browser that signed in before', async () => {
    const operator = await make.admin();
    const { secret } = await enrol(operator);
    const signedIn = await signIn(operator, { code: codeNow(secret) });
    const { browserToken } = signedIn.body;
    let tries = 0;
    let last = await signIn(operator, { code: '000000' });
    for (; last.code === 'SECOND_FACTOR_INVALID' && tries < 40; tries += 1) {
      // This is beyond the limits of passwords, which are five in 15 minutes and twenty in 30.
      system.clock.advance(31 * 60_000);
      wall.advance(31 * 60_000);
      const wrong = otherCode(codeNow(secret));
      last = await signIn(operator, { code: wrong });
    }
    expect(last).toMatchObject({ status: 429, code: 'LOGIN_LOCKED' });
    expect(tries).toBe(20);
    // The purge of old counts forgets none of it.
    system.clock.advance(60 * 60_000);
    await runPurges([createAdminSignInPurge(system)]);
    nextPeriod();
    expect(await signIn(operator, { code: codeNow(secret) })).toMatchObject({ status: 429 });
    const known = await signIn(operator, { code: codeNow(secret), browserToken });
    expect(known).toMatchObject({ status: 200 });
  });
});

describe('a required second factor', () => {
  it('admits a person without one only to its set-up', async () => {
    const operator = await make.admin('SUPER_ADMIN');
    const url = urls.required;
    const signedIn = await signIn(operator, {}, url);
    expect(signedIn).toMatchObject({ status: 200, body: { mustEnrolSecondFactor: true } });
    // The same applies to a session from before the setting.
    for (const token of [String(signedIn.body['accessToken']), operator.token]) {
      expect(await as(token, url)('GET', '/operators')).toMatchObject({
        status: 403,
        code: 'SECOND_FACTOR_NOT_ENROLLED',
      });
      expect(await as(token, url)('GET', '/auth/second-factor')).toMatchObject({
        status: 200,
        body: { state: 'NONE', required: true },
      });
    }
    const { token, secret } = await enrol(operator, url);
    expect(await as(token, url)('GET', '/operators')).toMatchObject({ status: 200 });
    expect(await as(operator.token, url)('GET', '/operators')).toMatchObject({ status: 401 });
    const again = await signIn(operator, { code: codeNow(secret) }, url);
    expect(again).toMatchObject({ status: 200, body: { mustEnrolSecondFactor: false } });
  });

  it('is checked after the sign-in and before the role', async () => {
    const operator = await make.admin('SUPPORT');
    const path = `/operators/${operator.adminId}/second-factor/disable`;
    const body = { reason: 'none' };
    const refused = await as(operator.token, urls.required)('POST', path, body);
    expect(refused).toMatchObject({ status: 403, code: 'SECOND_FACTOR_NOT_ENROLLED' });
    expect(await as('none', urls.required)('POST', path, body)).toMatchObject({ status: 401 });
  });
});

const key = (id: string) => `${id}:${Buffer.from(id.padEnd(32, 'k')).toString('base64')}`;

it('the second factor seals its secret with the first key of the ring', async () => {
  const operator = await make.admin();
  const { secret } = await enrol(operator);
  const old = `k1:${Buffer.from('dev-only-'.padEnd(32, 'k')).toString('base64')}`;
  const vault = createVault({ keyring: parseKeyring(`${key('k2')},${old}`) });
  const { db, inTransaction } = system;
  const outdated = await countOutdatedFactors(db, 'k2');
  expect(outdated).toBeGreaterThan(0);
  const { signal } = new AbortController();
  expect(await resealFactors({ vault, inTransaction }, signal)).toBe(outdated);
  expect(await countOutdatedFactors(db, 'k2')).toBe(0);
  const renewed = createVault({ keyring: parseKeyring(key('k2')) });
  const { url } = await serveAdminApi(system, { clients: { vault: renewed } });
  expect(await signIn(operator, { code: codeNow(secret) }, url)).toMatchObject({ status: 200 });
});
