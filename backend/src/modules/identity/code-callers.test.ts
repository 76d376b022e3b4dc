import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { otherCode } from '#test/support/session-calls.ts';
import { createCaller } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const it = identityTest({ clock });

const device = 'a-phone-of-the-customer';

const call = async (identity: OpenIdentity, ip: string, path: string, body: object) => {
  const answer = await createCaller(identity.url, { 'x-forwarded-for': ip })('POST', path, body);
  return answer.status === 200 ? 'ok' : errorCode(answer);
};
const addressOf = (n: number): string => `198.51.100.${n}`;

describe('wrong codes', () => {
  it('lock a caller after three, but neither another address nor a trusted device', async ({
    identity,
  }) => {
    const phone = newPhone();
    await identity.signIn(phone, { deviceId: device });
    const otp = await identity.sentCode(phone);
    const verify = (ip: string, body: object = {}) =>
      call(identity, ip, '/auth/verify-otp', { phone, otp: otherCode(otp), ...body });
    for (let n = 0; n < 3; n += 1) expect(await verify(addressOf(1))).toBe('INVALID_OTP');
    expect(await verify(addressOf(1), { otp })).toBe('OTP_LOCKED');
    expect(await verify(addressOf(2))).toBe('INVALID_OTP');
    expect(await verify(addressOf(1), { otp, deviceId: device })).toBe('ok');
  });

  it('of all strangers are limited to ten in 30 minutes, but a trusted device can continue', async ({
    identity,
  }) => {
    const phone = newPhone();
    await identity.signIn(phone, { deviceId: device });
    clock.advance(15 * minuteMs);
    const login = await identity.sentCode(phone);
    const reset = await identity.sentCode(phone, '/auth/forgot-mpin');
    for (let n = 0; n < 10; n += 1) {
      const body = { phone, newMpin: '482913', otp: otherCode(n % 2 === 0 ? login : reset) };
      const path = n % 2 === 0 ? '/auth/verify-otp' : '/auth/reset-mpin';
      expect(await call(identity, addressOf(10 + n), path, body)).toBe('INVALID_OTP');
    }
    const right = { phone, otp: login };
    expect(await call(identity, addressOf(50), '/auth/verify-otp', right)).toBe('OTP_LOCKED');
    const resetting = { phone, otp: reset, newMpin: '482913' };
    expect(await call(identity, addressOf(51), '/auth/reset-mpin', resetting)).toBe('OTP_LOCKED');
    const trusted = { ...resetting, deviceId: device };
    expect(await call(identity, addressOf(51), '/auth/reset-mpin', trusted)).toBe('ok');
    const known = { ...right, deviceId: device };
    expect(await call(identity, addressOf(50), '/auth/verify-otp', known)).toBe('ok');
    clock.advance(30 * minuteMs);
    const later = { phone, otp: await identity.sentCode(phone) };
    expect(await call(identity, addressOf(50), '/auth/verify-otp', later)).toBe('ok');
  });

  it('are judged exactly ten times if fifty addresses send one at once', async ({ identity }) => {
    const phone = newPhone();
    const otp = otherCode(await identity.sentCode(phone));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        call(identity, addressOf(n), '/auth/verify-otp', { phone, otp }),
      ),
    );
    expect(answers.filter((code) => code === 'INVALID_OTP')).toHaveLength(10);
    expect(answers.filter((code) => code === 'OTP_LOCKED')).toHaveLength(40);
  });
});

it('a customer can still use code, MPIN and reset after thirteen requests of a stranger', async ({
  identity,
}) => {
  const phone = newPhone();
  const { body } = await identity.signIn(phone, { deviceId: device });
  await identity.as(String(body['accessToken']))('POST', '/auth/set-mpin', { mpin: '482913' });
  clock.advance(15 * minuteMs);
  const thief = addressOf(66);
  const login = await identity.sentCode(phone);
  const reset = await identity.sentCode(phone, '/auth/forgot-mpin');
  for (let n = 0; n < 3; n += 1) {
    await call(identity, thief, '/auth/verify-otp', { phone, otp: otherCode(login) });
    const body = { phone, otp: otherCode(reset), newMpin: '111111' };
    await call(identity, thief, '/auth/reset-mpin', body);
  }
  for (let n = 0; n < 5; n += 1) {
    await call(identity, thief, '/auth/login-mpin', { phone, mpin: '111111' });
  }
  const home = addressOf(1);
  const mpin = { phone, mpin: '482913', deviceId: device };
  expect(await call(identity, home, '/auth/login-mpin', mpin)).toBe('ok');
  expect(await call(identity, home, '/auth/verify-otp', { phone, otp: login })).toBe('ok');
  const resetting = { phone, otp: reset, newMpin: '739164' };
  expect(await call(identity, home, '/auth/reset-mpin', resetting)).toBe('ok');
});
