import { expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { callFrom } from '#test/support/session-calls.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const env = { MPIN_TRUSTED_DEVICES_ONLY: 'true', SIGN_IN_REFUSALS_PER_ADDRESS_HOUR: '20' };
const it = identityTest({ clock, env });

const mpin = '482913';
const device = 'a-phone-of-the-customer';

const customer = async (identity: OpenIdentity, deviceId: string) => {
  const phone = newPhone();
  const { body } = await identity.signIn(phone, { deviceId });
  await identity.as(String(body['accessToken']))('POST', '/auth/set-mpin', { mpin });
  return phone;
};
const login = async (identity: OpenIdentity, ip: string, body: object) => {
  const answer = await callFrom(identity, ip)('POST', '/auth/login-mpin', { mpin, ...body });
  return answer.status === 200 ? 'ok' : errorCode(answer);
};

it('an MPIN signs in on trusted devices alone, for every customer', async ({ identity }) => {
  const short = await customer(identity, 'phone');
  const ip = '198.51.100.1';
  expect(await login(identity, ip, { phone: short, deviceId: 'phone' })).toBe(
    'INVALID_CREDENTIALS',
  );
  const phone = await customer(identity, device);
  expect(await login(identity, ip, { phone, deviceId: device })).toBe('ok');
});

it('the service counts strangers by address, the same for a customer and an unregistered phone', async ({
  identity,
}) => {
  clock.advance(60 * minuteMs);
  for (const phone of [await customer(identity, device), newPhone()]) {
    const answer = [];
    for (let n = 0; n < 6; n += 1) answer.push(await login(identity, '198.51.100.2', { phone }));
    expect(answer.slice(0, 5)).toEqual(answer.slice(0, 5).map(() => 'INVALID_CREDENTIALS'));
    expect(answer[5]).toBe('MPIN_LOCKED');
    expect(await login(identity, '198.51.100.3', { phone })).toBe('INVALID_CREDENTIALS');
  }
});

/** Returns addresses of the same /56 in different /64s. */
const addressOf = (n: number): string => `2001:db8:44:1${n % 10}::${n}`;

it('the service limits the wrong MPINs and codes of an address in an hour over all phones', async ({
  identity,
}) => {
  clock.advance(60 * minuteMs);
  const owner = await customer(identity, device);
  for (let n = 0; n < 10; n += 1) {
    expect(await login(identity, addressOf(n), { phone: newPhone() })).toBe('INVALID_CREDENTIALS');
    const answer = await callFrom(identity, addressOf(n))('POST', '/auth/verify-otp', {
      phone: newPhone(),
      otp: '000000',
    });
    expect(errorCode(answer)).toBe('INVALID_OTP');
  }
  expect(await login(identity, addressOf(1), { phone: newPhone() })).toBe('MPIN_LOCKED');
  const phone = newPhone();
  await identity.as()('POST', '/auth/send-otp', { phone });
  const right = { phone, otp: await identity.codeOf(phone) };
  const answer = await callFrom(identity, addressOf(2))('POST', '/auth/verify-otp', right);
  expect([answer.status, errorCode(answer)]).toEqual([429, 'OTP_LOCKED']);
  // A trusted device can still sign in from that address.
  expect(await login(identity, addressOf(3), { phone: owner, deviceId: device })).toBe('ok');
  // The next /56 counts as another client.
  expect(
    (await callFrom(identity, '2001:db8:44:200::1')('POST', '/auth/verify-otp', right)).status,
  ).toBe(200);
  clock.advance(60 * minuteMs);
  expect(await login(identity, addressOf(1), { phone: newPhone() })).toBe('INVALID_CREDENTIALS');
});

it('the service does not count right codes', async ({ identity }) => {
  clock.advance(61 * minuteMs);
  const ip = '198.51.100.9';
  for (let n = 0; n < 22; n += 1) {
    const phone = newPhone();
    await identity.as()('POST', '/auth/send-otp', { phone });
    const otp = await identity.codeOf(phone);
    const answer = await callFrom(identity, ip)('POST', '/auth/verify-otp', { phone, otp });
    expect(answer.status).toBe(200);
  }
});
