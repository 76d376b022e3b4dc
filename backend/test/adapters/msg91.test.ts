import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createSmsGateway } from '../../src/adapters/sms/create-sms-gateway.ts';
import type { SmsGateway } from '../../src/adapters/sms/port.ts';
import { forEver, startAdapterFixture, type AdapterFixture } from './adapter-fixture.ts';

let fixture: AdapterFixture;
let gateway: SmsGateway & Closable;

const message = { phone: '+919876543210', otp: '424242', validMinutes: 10, purpose: 'LOGIN' };

beforeAll(async () => {
  fixture = await startAdapterFixture('msg91');
});
afterAll(() => fixture.sandbox.stop());
beforeEach(async () => {
  await fixture.control('POST', '/reset');
  gateway = createSmsGateway(fixture.env, fixture.deps);
});
afterEach(() => gateway.close());

test('a code is delivered as it was made, with our own life', async () => {
  expect(await gateway.sendOtp(message)).toEqual({ kind: 'done', value: undefined });
  expect(await fixture.control('GET', '/sms?phone=9876543210')).toMatchObject({
    messages: [{ phone: '+919876543210', otp: '424242' }],
  });
  expect(await fixture.calls('send')).toMatchObject([
    { body: { mobile: '919876543210', otp_expiry: 10, otp_length: 6 } },
  ]);
});

test('an error that comes with status 200 is a refusal', async () => {
  expect(await gateway.sendOtp({ ...message, phone: '+91' })).toEqual({
    kind: 'refused',
    code: 'SMS_REFUSED',
    message: 'Mobile number is not valid',
  });
});

test('an error with a status of its own is a refusal', async () => {
  await fixture.fault('send', 'error', { status: 400 });
  expect(await gateway.sendOtp(message)).toMatchObject({ kind: 'refused', code: 'SMS_REFUSED' });
});

test.each(['error', 'timeout', 'reset', 'malformed', 'accept_then_timeout'])(
  'nobody knows after %s, and no second message is sent',
  async (fault) => {
    await fixture.fault('send', fault);
    expect(await gateway.sendOtp(message)).toMatchObject({ kind: 'unknown' });
    expect(await fixture.calls('send')).toHaveLength(1);
  },
);

test('nobody knows after an answer that does not come in time', async () => {
  const impatient = createSmsGateway({ ...fixture.env, MSG91_TIMEOUT_MS: '200' }, fixture.deps);
  await fixture.fault('send', 'timeout', { delayMs: forEver });
  expect(await impatient.sendOtp(message)).toEqual({ kind: 'unknown', reason: 'TIMED_OUT' });
  await impatient.close();
});
