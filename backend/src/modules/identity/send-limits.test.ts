import { expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { metricOf, otherCode } from '#test/support/session-calls.ts';
import { createCaller } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const it = identityTest({
  clock,
  env: { OTP_SENDS_PER_ADDRESS_HOUR: '4', SMS_PER_MINUTE: '6' },
});

const send = (identity: OpenIdentity, ip: string, phone = newPhone()) =>
  createCaller(identity.url, { 'x-forwarded-for': ip })('POST', '/auth/send-otp', { phone });
const sendAll = async (identity: OpenIdentity, ...addresses: readonly string[]) =>
  (await Promise.all(addresses.map((ip) => send(identity, ip))))
    .map(({ status }) => status)
    .toSorted((a, b) => a - b);
const verify = async (identity: OpenIdentity, phone: string, otp: string) =>
  (await identity.as()('POST', '/auth/verify-otp', { phone, otp })).status;

it('an address gets at most the configured number of codes in an hour, even by concurrent requests', async ({
  identity,
}) => {
  const ip = '203.0.113.1';
  const addresses = Array.from({ length: 6 }, () => ip);
  expect(await sendAll(identity, ...addresses)).toEqual([200, 200, 200, 200, 429, 429]);
  clock.advance(59 * minuteMs);
  const refused = await send(identity, ip);
  expect([refused.status, errorCode(refused)]).toEqual([429, 'OTP_SEND_LIMIT']);
  expect((await send(identity, '203.0.113.2')).status).toBe(200);
  clock.advance(minuteMs);
  expect((await send(identity, ip)).status).toBe(200);
  expect(await metricOf(identity, 'otp_sends_total{result="address_limit"')).toBe(3);
});

it('the service counts an IPv6 client by its /64', async ({ identity }) => {
  clock.advance(minuteMs);
  const addresses = [1, 2, 3, 4, 5].map((n) => `2001:db8:1:2::${n}`);
  expect(await sendAll(identity, ...addresses)).toEqual([200, 200, 200, 200, 429]);
  expect((await send(identity, '2001:db8:1:3::1')).status).toBe(200);
});

it('the service sends at most the configured number of codes in a minute', async ({ identity }) => {
  clock.advance(minuteMs);
  const addresses = Array.from({ length: 9 }, (_, n) => `198.51.100.${n}`);
  expect(await sendAll(identity, ...addresses)).toEqual([
    200, 200, 200, 200, 200, 200, 429, 429, 429,
  ]);
  expect(await metricOf(identity, 'otp_sends_total{result="total_limit"')).toBe(3);
  clock.advance(minuteMs);
  expect((await send(identity, '198.51.100.77')).status).toBe(200);
});

it('the service does not count a send that the gateway refused', async ({ identity }) => {
  clock.advance(minuteMs);
  const fault = { collaborator: 'msg91', operation: 'send', fault: 'error', status: 400, times: 3 };
  await identity.sandbox.control('POST', '/faults', fault);
  const ip = '203.0.113.9';
  for (let n = 0; n < 3; n += 1) expect((await send(identity, ip)).status).toBe(502);
  expect(await sendAll(identity, ip, ip, ip, ip)).toEqual([200, 200, 200, 200]);
});

it('the service counts a wrong code only while a code is open, so that no stranger locks a phone', async ({
  identity,
}) => {
  clock.advance(minuteMs);
  const phone = newPhone();
  for (let n = 0; n < 5; n += 1) expect(await verify(identity, phone, '000000')).toBe(401);
  expect((await send(identity, '203.0.113.20', phone)).status).toBe(200);
  const code = await identity.codeOf(phone);
  expect(await verify(identity, phone, code)).toBe(200);
  for (let n = 0; n < 5; n += 1) expect(await verify(identity, phone, '000000')).toBe(401);
  clock.advance(minuteMs);
  await send(identity, '203.0.113.20', phone);
  const wrong = otherCode(await identity.codeOf(phone));
  for (let n = 0; n < 3; n += 1) expect(await verify(identity, phone, wrong)).toBe(401);
  expect(await verify(identity, phone, wrong)).toBe(429);
});
