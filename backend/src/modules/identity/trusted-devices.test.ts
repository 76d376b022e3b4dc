import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import type { OpenIdentity } from '#test/support/open-identity.ts';
import { okOrCode } from '#test/support/session-calls.ts';
import { createCaller, type CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const it = identityTest({ clock, hashesAtOnce: 8 });

const mpin = '482913';
const device = 'a-phone-of-the-customer';

/** Signs a new customer in by code on a device, and sets their MPIN. */
const customer = async (identity: OpenIdentity, deviceId = device) => {
  const phone = newPhone();
  const { body } = await identity.signIn(phone, { deviceId });
  const call = identity.as(String(body['accessToken']));
  expect((await call('POST', '/auth/set-mpin', { mpin })).status).toBe(200);
  const { id: userId } = await identity.database.db.user.findFirstOrThrow({ where: { phone } });
  return { phone, userId, call };
};
const login = (
  identity: OpenIdentity,
  phone: string,
  {
    triedMpin = mpin,
    deviceId,
    ip = '198.51.100.1',
  }: {
    readonly triedMpin?: string;
    readonly deviceId?: string;
    readonly ip?: string;
  } = {},
): Promise<CallResponse> =>
  createCaller(identity.url, { 'x-forwarded-for': ip })('POST', '/auth/login-mpin', {
    phone,
    mpin: triedMpin,
    ...(deviceId !== undefined && { deviceId }),
  });
const bodyOf = ({ status, body }: CallResponse) => {
  const { requestId: _requestId, ...error } = Object(body['error']);
  return { status, ...error };
};

describe('a customer who signed in by code on a device that names itself', () => {
  it('signs in with the MPIN on this device alone', async ({ identity }) => {
    const { phone } = await customer(identity);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe('ok');
    for (const deviceId of [undefined, 'tablet', 'a-phone-of-somebody-else']) {
      const answer = await login(identity, phone, deviceId === undefined ? {} : { deviceId });
      expect(okOrCode(answer)).toBe('INVALID_CREDENTIALS');
    }
  });

  it('gets the same response for the right MPIN elsewhere, a wrong MPIN and an unregistered phone', async ({
    identity,
  }) => {
    const { phone } = await customer(identity);
    const answers = [
      await login(identity, phone),
      await login(identity, phone, { triedMpin: '111111' }),
      await login(identity, phone, { triedMpin: '111111', deviceId: device }),
      await login(identity, newPhone()),
    ].map(bodyOf);
    expect(answers[0]).toMatchObject({
      status: 401,
      message: expect.stringMatching(/incorrect.*this device/u),
    });
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  it('is not locked out by a stranger, who is locked out alone', async ({ identity }) => {
    const { phone } = await customer(identity);
    const ip = '203.0.113.9';
    for (let n = 0; n < 5; n += 1) await login(identity, phone, { triedMpin: '111111', ip });
    expect(okOrCode(await login(identity, phone, { ip }))).toBe('MPIN_LOCKED');
    expect(okOrCode(await login(identity, phone, { ip, deviceId: device }))).toBe('ok');
    clock.advance(30 * minuteMs);
    expect(okOrCode(await login(identity, phone, { ip }))).toBe('INVALID_CREDENTIALS');
  });

  it('has five wrong MPINs in 15 minutes on the device too', async ({ identity }) => {
    const { phone } = await customer(identity);
    const wrong = { triedMpin: '111111', deviceId: device };
    for (let n = 0; n < 5; n += 1)
      expect(okOrCode(await login(identity, phone, wrong))).toMatch(/INV/u);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe('MPIN_LOCKED');
    clock.advance(30 * minuteMs);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe('ok');
  });

  it('loses the trust in a device after ten wrong MPINs since its last sign-in', async ({
    identity,
  }) => {
    const { phone, userId } = await customer(identity);
    const tries = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        clock.advance(8 * minuteMs);
        const answer = await login(identity, phone, { triedMpin: '111111', deviceId: device });
        expect(okOrCode(answer)).toBe('INVALID_CREDENTIALS');
      }
    };
    await tries(9);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe('ok');
    clock.advance(dayMs);
    await tries(10);
    clock.advance(dayMs);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe(
      'INVALID_CREDENTIALS',
    );
    const where = { userId, kind: 'device_distrusted' };
    expect(await identity.database.db.securityEvent.count({ where })).toBe(1);
    await identity.signIn(phone, { deviceId: device });
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe('ok');
  });

  it('loses the trust in all devices after twenty wrong MPINs in a day', async ({ identity }) => {
    const { phone } = await customer(identity);
    const devices = [1, 2, 3].map((n) => `a-further-device-${n}`);
    for (const deviceId of devices) await identity.signIn(phone, { deviceId });
    for (let n = 0; n < 20; n += 1) {
      clock.advance(minuteMs * 5);
      const answer = await login(identity, phone, {
        triedMpin: '111111',
        deviceId: devices[n % 3] ?? '',
      });
      expect(okOrCode(answer)).toBe('INVALID_CREDENTIALS');
    }
    clock.advance(dayMs);
    for (const deviceId of [device, ...devices]) {
      expect(okOrCode(await login(identity, phone, { deviceId }))).toBe('INVALID_CREDENTIALS');
    }
  });

  it('has at most ten tries judged of many at once', async ({ identity }) => {
    const { phone } = await customer(identity);
    const { db } = identity.database;
    await db.trustedDevice.updateMany({ where: { user: { phone } }, data: { refusals: 8 } });
    const triedMpin = { triedMpin: '111111', deviceId: device };
    await Promise.all(Array.from({ length: 5 }, () => login(identity, phone, triedMpin)));
    const { refusals } = await db.trustedDevice.findFirstOrThrow({ where: { user: { phone } } });
    expect(refusals).toBe(10);
  });

  it('has the device trusted for 180 days from the last sign-in by code', async ({ identity }) => {
    const { phone } = await customer(identity);
    clock.advance(180 * dayMs - minuteMs);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe('ok');
    clock.advance(minuteMs);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe(
      'INVALID_CREDENTIALS',
    );
  });

  it('ends the trust with the session, and not by signing out', async ({ identity }) => {
    const { phone, call } = await customer(identity);
    const { body } = await login(identity, phone, { deviceId: device });
    const again = identity.as(String(body['accessToken']));
    await again('POST', '/auth/logout', { refreshToken: body['refreshToken'] });
    const answer = await login(identity, phone, { deviceId: device });
    expect(okOrCode(answer)).toBe('ok');
    expect((await call('GET', '/users/me')).status).toBe(401);
    const other = await identity.signIn(phone, { deviceId: 'another-device-of-mine' });
    const owner = identity.as(String(other.body['accessToken']));
    const sessions = await owner('GET', '/auth/sessions');
    const items = sessions.body['items'] as { id: string; deviceId: string; trusted: boolean }[]; // its view
    expect(items.map(({ trusted }) => trusted)).toEqual([true, true]);
    const lost = items.find(({ deviceId }) => deviceId === device);
    expect((await owner('DELETE', `/auth/sessions/${lost?.id}`)).status).toBe(204);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe(
      'INVALID_CREDENTIALS',
    );
  });

  it('sees each device that can sign in, even after it signed out', async ({ identity }) => {
    const { phone } = await customer(identity);
    const { body } = await login(identity, phone, { deviceId: device });
    const signedOut = identity.as(String(body['accessToken']));
    await signedOut('POST', '/auth/logout', { refreshToken: body['refreshToken'] });
    const other = await identity.signIn(phone, { deviceId: 'another-device-of-mine' });
    const owner = identity.as(String(other.body['accessToken']));
    const listed = async () => {
      const { body: page } = await owner('GET', '/auth/sessions');
      return page['items'] as { id: string; deviceId: string; expiresAt: string }[]; // its view
    };
    const lost = (await listed()).find(({ deviceId }) => deviceId === device);
    expect(lost).toMatchObject({ trusted: true, current: false });
    expect(Date.parse(lost?.expiresAt ?? '')).toBeLessThanOrEqual(clock.now().getTime());
    expect((await owner('DELETE', `/auth/sessions/${lost?.id}`)).status).toBe(204);
    expect((await listed()).map(({ deviceId }) => deviceId)).toEqual(['another-device-of-mine']);
    expect((await owner('DELETE', `/auth/sessions/${lost?.id}`)).status).toBe(404);
    expect(okOrCode(await login(identity, phone, { deviceId: device }))).toBe(
      'INVALID_CREDENTIALS',
    );
  });
});

describe('a device', () => {
  it.for([['fifteen-letters'], [undefined]] as const)(
    'that calls itself %s is not trusted, and the MPIN signs in anywhere',
    async ([deviceId], { identity }) => {
      const phone = newPhone();
      const { body } = await identity.signIn(phone, deviceId === undefined ? {} : { deviceId });
      await identity.as(String(body['accessToken']))('POST', '/auth/set-mpin', { mpin });
      expect(okOrCode(await login(identity, phone))).toBe('ok');
    },
  );
});

it('an address that tries one MPIN on many phones signs in nowhere', async ({ identity }) => {
  const people = [];
  for (let n = 0; n < 8; n += 1) people.push(await customer(identity));
  const answer = [];
  for (const { phone } of people) answer.push(okOrCode(await login(identity, phone)));
  expect(new Set(answer)).toEqual(new Set(['INVALID_CREDENTIALS']));
});
