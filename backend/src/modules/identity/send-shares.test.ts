import { expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { metricOf } from '#test/support/session-calls.ts';
import { createCaller } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const it = identityTest({
  clock,
  env: {
    OTP_SENDS_PER_NETWORK_HOUR: '5',
    SMS_PER_MINUTE: '8',
    SMS_CUSTOMER_SHARE_PERCENT: '25',
  },
});

const ask = (identity: OpenIdentity, ip: string, path: string, phone: string) =>
  createCaller(identity.url, { 'x-forwarded-for': ip })('POST', path, { phone });
const send = (identity: OpenIdentity, ip: string, phone = newPhone()) =>
  ask(identity, ip, '/auth/send-otp', phone);

it('the service limits the codes in an hour for the /48 of an IPv6 client', async ({
  identity,
}) => {
  const statuses: number[] = [];
  for (let n = 1; n <= 7; n += 1) {
    statuses.push((await send(identity, `2001:db8:7:${n}::1`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  expect((await send(identity, '2001:db8:8:1::1')).status).toBe(200);
  expect(await metricOf(identity, 'otp_sends_total{result="network_limit"')).toBe(2);
  clock.advance(60 * minuteMs);
  expect((await send(identity, '2001:db8:7:1::1')).status).toBe(200);
});

it('the service does not count IPv4 clients by network', async ({ identity }) => {
  clock.advance(minuteMs);
  for (let n = 1; n <= 6; n += 1) {
    expect((await send(identity, `::ffff:198.51.100.${n}`)).status).toBe(200);
  }
});

it('the service keeps a share of each minute for customers', async ({ identity }) => {
  clock.advance(minuteMs);
  const customer = newPhone();
  await identity.signIn(customer);
  clock.advance(minuteMs);
  const addresses = Array.from({ length: 10 }, (_, n) => `203.0.113.${n}`);
  const answers = await Promise.all(addresses.map((ip) => send(identity, ip)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
  const refused = answers.filter((one) => errorCode(one) === 'OTP_SEND_LIMIT');
  expect(refused).toHaveLength(4);
  expect(await metricOf(identity, 'otp_sends_total{result="stranger_limit"')).toBe(4);
  for (let n = 1; n <= 2; n += 1) {
    expect((await send(identity, `203.0.113.7${n}`, customer)).status).toBe(200);
  }
  expect(errorCode(await send(identity, '203.0.113.79', customer))).toBe('OTP_SEND_LIMIT');
});

it('the service does not count codes that are requested but not sent in the limit of a minute', async ({
  identity,
}) => {
  clock.advance(minuteMs);
  for (let n = 1; n <= 10; n += 1) {
    const answer = await ask(identity, `192.0.2.${n}`, '/auth/forgot-mpin', newPhone());
    expect(answer.status).toBe(200);
  }
  expect((await send(identity, '192.0.2.99')).status).toBe(200);
});
