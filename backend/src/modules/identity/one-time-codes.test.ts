import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { otherCode } from '#test/support/session-calls.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const it = identityTest({ clock });

const minuteMs = 60_000;
const send = (identity: OpenIdentity, phone: string): Promise<CallResponse> =>
  identity.as()('POST', '/auth/send-otp', { phone });
const verify = (identity: OpenIdentity, phone: string, otp: string): Promise<CallResponse> =>
  identity.as()('POST', '/auth/verify-otp', { phone, otp });

const fault = (identity: OpenIdentity, fields: object): Promise<CallResponse> =>
  identity.sandbox.control('POST', '/faults', {
    collaborator: 'msg91',
    operation: 'send',
    times: 1,
    ...fields,
  });

describe('POST /auth/send-otp', () => {
  it('sends six digits and says how long they are valid', async ({ identity }) => {
    const phone = newPhone();
    const answer = await send(identity, phone);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ sent: true, expiresInSec: 600 });
    expect(await identity.codeOf(phone)).toMatch(/^\d{6}$/);
  });

  it('takes ten digits without a prefix for the same phone', async ({ identity }) => {
    const phone = newPhone();
    await send(identity, phone.slice(3));
    expect((await verify(identity, phone, await identity.codeOf(phone))).status).toBe(200);
  });

  it.for([
    ['+915876543210'],
    ['5876543210'],
    ['987654321'],
    ['98765432100'],
    ['919876543210'],
    ['+449876543210'],
    ['98765 43210'],
    ['９８７６５４３２１０'],
    ['9876543210\n'],
    [''],
    [9876543210],
    [null],
    [undefined],
    [{ phone: 'x' }],
    ['9'.repeat(1000)],
  ] as const)('refuses %j as a phone', async ([phone], { identity }) => {
    const answer = await identity.as()('POST', '/auth/send-otp', { phone });
    expect(answer.status).toBe(400);
    expect(answer.body['error']).toMatchObject({ code: 'VALIDATION_FAILED', field: 'phone' });
  });

  it('refuses the sixth send until the first one is 15 minutes old', async ({ identity }) => {
    const phone = newPhone();
    for (let sends = 1; sends <= 5; sends += 1) {
      expect((await send(identity, phone)).status).toBe(200);
      clock.advance(minuteMs);
    }
    const response = await fetch(`${identity.url}/auth/send-otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone }),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 'OTP_SEND_LIMIT' } });
    expect(response.headers.get('retry-after')).toBe('600');
    clock.advance(10 * minuteMs - 1);
    expect((await send(identity, phone)).status).toBe(429);
    clock.advance(1);
    expect((await send(identity, phone)).status).toBe(200);
    expect((await send(identity, phone)).status).toBe(429);
  });

  it('lets five of twenty parallel requests send', async ({ identity }) => {
    const phone = newPhone();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(identity, phone)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter((one) => errorCode(one) === 'OTP_SEND_LIMIT')).toHaveLength(15);
    const { body } = await identity.sandbox.control('GET', `/sms?phone=${phone.slice(1)}`);
    expect(body['messages']).toHaveLength(5);
  });

  it('answers 502 if the gateway refuses, and does not count the send', async ({ identity }) => {
    const phone = newPhone();
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await fault(identity, { fault: 'error', status: 400 });
      expect(errorCode(await send(identity, phone))).toBe('SMS_UNAVAILABLE');
    }
    expect((await verify(identity, phone, await identity.sentCode(phone))).status).toBe(200);
  });

  it.for([['error'], ['reset'], ['timeout'], ['malformed'], ['accept_then_timeout']] as const)(
    'answers 502 if the response is lost (%s), and the code is invalid',
    async ([kind], { identity }) => {
      const phone = newPhone();
      const before = await identity.sentCode(phone);
      await fault(identity, { fault: kind });
      const answer = await send(identity, phone);
      expect(answer.status).toBe(502);
      expect(errorCode(answer)).toBe('SMS_UNAVAILABLE');
      const after = await identity.codeOf(phone);
      expect((await verify(identity, phone, after)).status).toBe(401);
      expect((await verify(identity, phone, before)).status).toBe(401);
      expect((await verify(identity, phone, await identity.sentCode(phone))).status).toBe(200);
    },
  );
});

describe('POST /auth/verify-otp', () => {
  it('accepts a code once', async ({ identity }) => {
    const phone = newPhone();
    const code = await identity.sentCode(phone);
    expect((await verify(identity, phone, code)).status).toBe(200);
    const again = await verify(identity, phone, code);
    expect(again.status).toBe(401);
    expect(errorCode(again)).toBe('INVALID_OTP');
  });

  it('accepts a code once if twenty requests present it at once', async ({ identity }) => {
    const phone = newPhone();
    const code = await identity.sentCode(phone);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => verify(identity, phone, code)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('accepts a code for 600 seconds', async ({ identity }) => {
    const phone = newPhone();
    const code = await identity.sentCode(phone);
    clock.advance(600_000 - 1);
    expect((await verify(identity, phone, code)).status).toBe(200);
    const late = await identity.sentCode(phone);
    clock.advance(600_000);
    expect((await verify(identity, phone, late)).status).toBe(401);
  });

  it('accepts only the newest code', async ({ identity }) => {
    const phone = newPhone();
    const first = await identity.sentCode(phone);
    let second = await identity.sentCode(phone);
    while (second === first) second = await identity.sentCode(phone);
    expect((await verify(identity, phone, first)).status).toBe(401);
    expect((await verify(identity, phone, second)).status).toBe(200);
  });

  it('accepts only the code of that phone', async ({ identity }) => {
    const [mine, other] = [newPhone(), newPhone()];
    await send(identity, mine);
    expect((await verify(identity, mine, await identity.sentCode(other))).status).toBe(401);
  });

  it('answers 401 to the third wrong code and is locked after it', async ({ identity }) => {
    const phone = newPhone();
    const code = await identity.sentCode(phone);
    for (let guess = 1; guess <= 3; guess += 1) {
      const answer = await verify(identity, phone, otherCode(code));
      expect(answer.status).toBe(401);
      expect(errorCode(answer)).toBe('INVALID_OTP');
    }
    const locked = await verify(identity, phone, code);
    expect(locked.status).toBe(429);
    expect(errorCode(locked)).toBe('OTP_LOCKED');
    const newer = await identity.sentCode(phone);
    expect(errorCode(await verify(identity, phone, newer))).toBe('OTP_LOCKED');
    clock.advance(30 * minuteMs - 1);
    const last = await identity.sentCode(phone);
    expect(errorCode(await verify(identity, phone, last))).toBe('OTP_LOCKED');
    clock.advance(1);
    expect((await verify(identity, phone, last)).status).toBe(200);
  });

  it('says when the lock ends', async ({ identity }) => {
    const phone = newPhone();
    const wrong = otherCode(await identity.sentCode(phone));
    for (let guess = 1; guess <= 3; guess += 1) await verify(identity, phone, wrong);
    clock.advance(10 * minuteMs);
    const response = await fetch(`${identity.url}/auth/verify-otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone, otp: '000000' }),
    });
    expect(response.headers.get('retry-after')).toBe(String(20 * 60));
  });

  it('counts wrong codes over several codes', async ({ identity }) => {
    const phone = newPhone();
    for (let guess = 1; guess <= 3; guess += 1) {
      const code = await identity.sentCode(phone);
      expect((await verify(identity, phone, otherCode(code))).status).toBe(401);
    }
    expect(errorCode(await verify(identity, phone, await identity.sentCode(phone)))).toBe(
      'OTP_LOCKED',
    );
  });

  it('resets the count of wrong codes after a right one', async ({ identity }) => {
    const phone = newPhone();
    for (let round = 1; round <= 3; round += 1) {
      const code = await identity.sentCode(phone);
      await verify(identity, phone, otherCode(code));
      await verify(identity, phone, otherCode(code));
      expect((await verify(identity, phone, code)).status).toBe(200);
    }
  });

  it('does not count wrong codes of more than 30 minutes ago', async ({ identity }) => {
    const phone = newPhone();
    await verify(identity, phone, '000000');
    await verify(identity, phone, '000000');
    clock.advance(30 * minuteMs);
    expect((await verify(identity, phone, '000000')).status).toBe(401);
    expect((await verify(identity, phone, await identity.sentCode(phone))).status).toBe(200);
  });

  it('judges only three of fifty parallel guesses', async ({ identity }) => {
    const phone = newPhone();
    const code = await identity.sentCode(phone);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => verify(identity, phone, otherCode(code))),
    );
    expect(answers.filter((one) => errorCode(one) === 'INVALID_OTP')).toHaveLength(3);
    expect(answers.filter((one) => errorCode(one) === 'OTP_LOCKED')).toHaveLength(47);
    expect(errorCode(await verify(identity, phone, code))).toBe('OTP_LOCKED');
  });

  it('works on if the clock is set back', async ({ identity }) => {
    const phone = newPhone();
    clock.advance(24 * 60 * minuteMs);
    for (let sends = 1; sends <= 5; sends += 1) await send(identity, phone);
    for (let guess = 1; guess <= 3; guess += 1) await verify(identity, phone, '000000');
    clock.advance(-24 * 60 * minuteMs);
    expect((await verify(identity, phone, await identity.sentCode(phone))).status).toBe(200);
  });

  it.for([
    ['phone', { phone: 'x', otp: '123456' }],
    ['phone', { otp: '123456' }],
    ['otp', { phone: '9876543210' }],
    ['otp', { phone: '9876543210', otp: 123456 }],
    ['otp', { phone: '9876543210', otp: '12345' }],
    ['otp', { phone: '9876543210', otp: '1234567' }],
    ['otp', { phone: '9876543210', otp: '12345a' }],
    ['otp', { phone: '9876543210', otp: '１２３４５６' }],
    ['otp', { phone: '9876543210', otp: ['123456'] }],
    ['deviceId', { phone: '9876543210', otp: '123456', deviceId: '' }],
    ['deviceId', { phone: '9876543210', otp: '123456', deviceId: 'd'.repeat(129) }],
    ['deviceId', { phone: '9876543210', otp: '123456', deviceId: 7 }],
    ['deviceId', { phone: '9876543210', otp: '123456', deviceId: 'a\u0000b' }],
    ['deviceId', { phone: '9876543210', otp: '123456', deviceId: '\ud800' }],
    ['deviceName', { phone: '9876543210', otp: '123456', deviceName: 'n'.repeat(101) }],
    ['deviceName', { phone: '9876543210', otp: '123456', deviceName: 'a\tb' }],
    ['deviceName', { phone: '9876543210', otp: '123456', deviceName: 7 }],
    ['body', []],
    ['body', 'text'],
  ] as const)('refuses a bad %s: %j, and counts nothing', async ([field, body], { identity }) => {
    const answer = await identity.as()('POST', '/auth/verify-otp', body);
    expect(answer.status).toBe(400);
    expect(answer.body['error']).toMatchObject({ code: 'VALIDATION_FAILED', field });
  });
});

it('the service logs neither phones nor codes, and stores neither', async ({ identity }) => {
  const phone = newPhone();
  await fault(identity, { fault: 'error' });
  await send(identity, phone);
  const code = await identity.sentCode(phone);
  await verify(identity, phone, otherCode(code));
  expect(identity.logged()).not.toContain(phone.slice(3));
  expect(identity.logged()).not.toContain(code);
  const rows = await identity.database.db.otpCode.findMany();
  const guards = await identity.database.db.otpGuard.findMany();
  expect(JSON.stringify([rows, guards])).not.toContain(phone.slice(3));
  expect(rows.map(({ codeHash }) => codeHash)).not.toContain(code);
});
