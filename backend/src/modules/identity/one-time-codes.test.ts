import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCode, type OpenIdentity, openIdentity } from '#test/support/open-identity.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
let identity: OpenIdentity;
beforeAll(async () => {
  identity = await openIdentity({ clock });
});
afterAll(() => identity.close());

const minuteMs = 60_000;
let phones = 0;
const newPhone = (): string => `+9198765${String((phones += 1)).padStart(5, '0')}`;

const send = (phone: string): Promise<CallResponse> =>
  identity.as()('POST', '/auth/send-otp', { phone });
const verify = (phone: string, otp: string): Promise<CallResponse> =>
  identity.as()('POST', '/auth/verify-otp', { phone, otp });

/** Sends a code and reads it from the phone. */
const sentCode = async (phone: string): Promise<string> => {
  expect((await send(phone)).status).toBe(200);
  return identity.codeOf(phone);
};
const wrongFor = (code: string): string => (code === '000000' ? '111111' : '000000');

const fault = (fields: object): Promise<CallResponse> =>
  identity.sandbox.control('POST', '/faults', {
    collaborator: 'msg91',
    operation: 'send',
    times: 1,
    ...fields,
  });

describe('POST /auth/send-otp', () => {
  it('sends six digits and says how long they are valid', async () => {
    const phone = newPhone();
    const told = await send(phone);
    expect(told.status).toBe(200);
    expect(told.body).toEqual({ sent: true, expiresInSec: 600 });
    expect(await identity.codeOf(phone)).toMatch(/^\d{6}$/);
  });

  it('takes ten bare digits for the same phone', async () => {
    const phone = newPhone();
    await send(phone.slice(3));
    expect((await verify(phone, await identity.codeOf(phone))).status).toBe(200);
  });

  it.each([
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
  ])('refuses %j as a phone', async (phone) => {
    const told = await identity.as()('POST', '/auth/send-otp', { phone });
    expect(told.status).toBe(400);
    expect(told.body['error']).toMatchObject({ code: 'VALIDATION_FAILED', field: 'phone' });
  });

  it('is refused the sixth time within 15 minutes, until the first is 15 minutes old', async () => {
    const phone = newPhone();
    for (let sends = 1; sends <= 5; sends += 1) {
      expect((await send(phone)).status).toBe(200);
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
    expect((await send(phone)).status).toBe(429);
    clock.advance(1);
    expect((await send(phone)).status).toBe(200);
    expect((await send(phone)).status).toBe(429);
  });

  it('lets five of twenty parallel requests send', async () => {
    const phone = newPhone();
    const told = await Promise.all(Array.from({ length: 20 }, () => send(phone)));
    expect(told.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(told.filter((one) => errorCode(one) === 'OTP_SEND_LIMIT')).toHaveLength(15);
    const { body } = await identity.sandbox.control('GET', `/sms?phone=${phone.slice(1)}`);
    expect(body['messages']).toHaveLength(5);
  });

  it('is 502 when the gateway refuses, which uses up neither a send nor anything else', async () => {
    const phone = newPhone();
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await fault({ fault: 'error', status: 400 });
      expect(errorCode(await send(phone))).toBe('SMS_UNAVAILABLE');
    }
    expect((await verify(phone, await sentCode(phone))).status).toBe(200);
  });

  it.each([['error'], ['reset'], ['timeout'], ['malformed'], ['accept_then_timeout']])(
    'is 502 when the answer is lost (%s), and that code is of no use',
    async (kind) => {
      const phone = newPhone();
      const before = await sentCode(phone);
      await fault({ fault: kind });
      const told = await send(phone);
      expect(told.status).toBe(502);
      expect(errorCode(told)).toBe('SMS_UNAVAILABLE');
      const after = await identity.codeOf(phone);
      expect((await verify(phone, after)).status).toBe(401);
      expect((await verify(phone, before)).status).toBe(401);
      expect((await verify(phone, await sentCode(phone))).status).toBe(200);
    },
  );
});

describe('POST /auth/verify-otp', () => {
  it('takes a code once', async () => {
    const phone = newPhone();
    const code = await sentCode(phone);
    expect((await verify(phone, code)).status).toBe(200);
    const again = await verify(phone, code);
    expect(again.status).toBe(401);
    expect(errorCode(again)).toBe('INVALID_OTP');
  });

  it('takes a code once among twenty that present it at the same time', async () => {
    const phone = newPhone();
    const code = await sentCode(phone);
    const told = await Promise.all(Array.from({ length: 20 }, () => verify(phone, code)));
    expect(told.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('takes a code until 600 seconds have passed', async () => {
    const phone = newPhone();
    const code = await sentCode(phone);
    clock.advance(600_000 - 1);
    expect((await verify(phone, code)).status).toBe(200);
    const late = await sentCode(phone);
    clock.advance(600_000);
    expect((await verify(phone, late)).status).toBe(401);
  });

  it('takes the newest code alone', async () => {
    const phone = newPhone();
    const first = await sentCode(phone);
    let second = await sentCode(phone);
    while (second === first) second = await sentCode(phone);
    expect((await verify(phone, first)).status).toBe(401);
    expect((await verify(phone, second)).status).toBe(200);
  });

  it('takes only the code of that phone', async () => {
    const [mine, other] = [newPhone(), newPhone()];
    await send(mine);
    expect((await verify(mine, await sentCode(other))).status).toBe(401);
  });

  it('answers the third wrong code with 401 and is locked from then on', async () => {
    const phone = newPhone();
    const code = await sentCode(phone);
    for (let guess = 1; guess <= 3; guess += 1) {
      const told = await verify(phone, wrongFor(code));
      expect(told.status).toBe(401);
      expect(errorCode(told)).toBe('INVALID_OTP');
    }
    const locked = await verify(phone, code);
    expect(locked.status).toBe(429);
    expect(errorCode(locked)).toBe('OTP_LOCKED');
    const newer = await sentCode(phone);
    expect(errorCode(await verify(phone, newer))).toBe('OTP_LOCKED');
    clock.advance(30 * minuteMs - 1);
    const last = await sentCode(phone);
    expect(errorCode(await verify(phone, last))).toBe('OTP_LOCKED');
    clock.advance(1);
    expect((await verify(phone, last)).status).toBe(200);
  });

  it('says when the lock ends', async () => {
    const phone = newPhone();
    const wrong = wrongFor(await sentCode(phone));
    for (let guess = 1; guess <= 3; guess += 1) await verify(phone, wrong);
    clock.advance(10 * minuteMs);
    const response = await fetch(`${identity.url}/auth/verify-otp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone, otp: '000000' }),
    });
    expect(response.headers.get('retry-after')).toBe(String(20 * 60));
  });

  it('counts wrong codes across codes', async () => {
    const phone = newPhone();
    for (let guess = 1; guess <= 3; guess += 1) {
      const code = await sentCode(phone);
      expect((await verify(phone, wrongFor(code))).status).toBe(401);
    }
    expect(errorCode(await verify(phone, await sentCode(phone)))).toBe('OTP_LOCKED');
  });

  it('forgets wrong codes after a right one', async () => {
    const phone = newPhone();
    for (let round = 1; round <= 3; round += 1) {
      const code = await sentCode(phone);
      await verify(phone, wrongFor(code));
      await verify(phone, wrongFor(code));
      expect((await verify(phone, code)).status).toBe(200);
    }
  });

  it('forgets wrong codes of more than 30 minutes ago', async () => {
    const phone = newPhone();
    await verify(phone, '000000');
    await verify(phone, '000000');
    clock.advance(30 * minuteMs);
    expect((await verify(phone, '000000')).status).toBe(401);
    expect((await verify(phone, await sentCode(phone))).status).toBe(200);
  });

  it('judges three of fifty parallel guesses', async () => {
    const phone = newPhone();
    const code = await sentCode(phone);
    const told = await Promise.all(Array.from({ length: 50 }, () => verify(phone, wrongFor(code))));
    expect(told.filter((one) => errorCode(one) === 'INVALID_OTP')).toHaveLength(3);
    expect(told.filter((one) => errorCode(one) === 'OTP_LOCKED')).toHaveLength(47);
    expect(errorCode(await verify(phone, code))).toBe('OTP_LOCKED');
  });

  it('goes on when the clock is set back', async () => {
    const phone = newPhone();
    clock.advance(24 * 60 * minuteMs);
    for (let sends = 1; sends <= 5; sends += 1) await send(phone);
    for (let guess = 1; guess <= 3; guess += 1) await verify(phone, '000000');
    clock.advance(-24 * 60 * minuteMs);
    expect((await verify(phone, await sentCode(phone))).status).toBe(200);
  });

  it.each([
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
    ['deviceName', { phone: '9876543210', otp: '123456', deviceName: null }],
    ['body', []],
    ['body', 'text'],
  ])('refuses a bad %s: %j, and counts nothing', async (field, body) => {
    const told = await identity.as()('POST', '/auth/verify-otp', body);
    expect(told.status).toBe(400);
    expect(told.body['error']).toMatchObject({ code: 'VALIDATION_FAILED', field });
  });
});

it('logs neither phones nor codes, and stores neither', async () => {
  const phone = newPhone();
  await fault({ fault: 'error' });
  await send(phone);
  const code = await sentCode(phone);
  await verify(phone, wrongFor(code));
  expect(identity.logged()).not.toContain(phone.slice(3));
  expect(identity.logged()).not.toContain(code);
  const rows = await identity.database.db.otpCode.findMany();
  const guards = await identity.database.db.otpGuard.findMany();
  expect(JSON.stringify([rows, guards])).not.toContain(phone.slice(3));
  expect(rows.map(({ codeHash }) => codeHash)).not.toContain(code);
});
