import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { otherCode } from '#test/support/session-calls.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const it = identityTest({ clock });

const oldMpin = '4829';
const newMpin = '739164';

const forgot = (identity: OpenIdentity, phone: string): Promise<CallResponse> =>
  identity.as()('POST', '/auth/forgot-mpin', { phone });
const reset = (
  identity: OpenIdentity,
  phone: string,
  otp: string,
  mpin = newMpin,
): Promise<CallResponse> =>
  identity.as()('POST', '/auth/reset-mpin', { phone, otp, newMpin: mpin });
const login = async (identity: OpenIdentity, phone: string, mpin: string): Promise<string> => {
  const answer = await identity.as()('POST', '/auth/login-mpin', { phone, mpin });
  return answer.status === 200 ? 'ok' : String(errorCode(answer));
};

const customerWithMpin = async (identity: OpenIdentity, phone = newPhone()) => {
  const { body } = await identity.signIn(phone, { deviceId: 'phone' });
  const call = identity.as(String(body['accessToken']));
  await call('POST', '/auth/set-mpin', { mpin: oldMpin });
  const { id: userId } = await identity.database.db.user.findFirstOrThrow({ where: { phone } });
  return { phone, userId, call, refreshToken: String(body['refreshToken']) };
};

describe('POST /auth/forgot-mpin', () => {
  it('answers the same for every phone, but sends an SMS only to a customer who is not blocked', async ({
    identity,
  }) => {
    const { phone } = await customerWithMpin(identity);
    const blocked = await customerWithMpin(identity);
    await identity.database.db.user.update({
      where: { id: blocked.userId },
      data: { blocked: true, blockedReason: 'fraud' },
    });
    const nobody = newPhone();
    const before = await identity.codeOf(blocked.phone);
    for (const requestPhone of [phone, blocked.phone, nobody]) {
      const answer = await forgot(identity, requestPhone);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ sent: true, expiresInSec: 600 });
    }
    await identity.settle();
    const { body } = await identity.sandbox.control(
      'GET',
      `/sms?phone=${encodeURIComponent(nobody)}`,
    );
    expect(body['messages']).toEqual([]);
    expect(await identity.codeOf(blocked.phone)).toBe(before);
    expect((await reset(identity, phone, await identity.codeOf(phone))).status).toBe(200);
  });

  it('answers the same if the SMS fails, and the code is invalid', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    const fault = { collaborator: 'msg91', operation: 'send', fault: 'error', times: 1 };
    await identity.sandbox.control('POST', '/faults', fault);
    const answer = await forgot(identity, phone);
    expect([answer.status, answer.body]).toEqual([200, { sent: true, expiresInSec: 600 }]);
    await identity.settle();
    const { phoneHash } = await identity.database.db.user.findFirstOrThrow({ where: { phone } });
    const where = { phoneHash: phoneHash ?? '', purpose: 'mpin-reset' };
    expect(await identity.database.db.otpCode.count({ where })).toBe(0);
  });

  it('does not wait for a gateway that does not respond', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    const fault = { collaborator: 'msg91', operation: 'send', fault: 'slow', times: 1 };
    await identity.sandbox.control('POST', '/faults', { ...fault, delayMs: 2500 });
    const sent = async (): Promise<string> => {
      const lines = (await identity.metrics()).split('\n');
      return lines.find((line) => line.startsWith('otp_sends_total{result="sent"')) ?? '';
    };
    const before = await sent();
    expect((await forgot(identity, phone)).status).toBe(200);
    expect(await sent()).toBe(before);
    await identity.settle();
    expect(await sent()).not.toBe(before);
  });

  it('sends five times in 15 minutes, and counts an unregistered phone the same', async ({
    identity,
  }) => {
    const { phone } = await customerWithMpin(identity);
    for (const requestPhone of [phone, newPhone()]) {
      const statuses: number[] = [];
      for (let n = 0; n < 6; n += 1) statuses.push((await forgot(identity, requestPhone)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    }
    expect(errorCode(await forgot(identity, phone))).toBe('OTP_SEND_LIMIT');
    await identity.settle();
  });
});

describe('POST /auth/reset-mpin', () => {
  it('replaces the MPIN, and ends every session and biometric token', async ({ identity }) => {
    const { phone, userId, call, refreshToken } = await customerWithMpin(identity);
    const second = await identity.signIn(phone, { deviceId: 'tablet' });
    const { body } = await call('POST', '/auth/biometric-token', {});
    const biometric = { phone, deviceId: 'phone', biometricToken: body['biometricToken'] };
    const { db } = identity.database;
    // The session of this device has expired, but its token has not.
    await db.session.updateMany({
      where: { userId, deviceId: 'phone' },
      data: { revokedAt: clock.now(), revokedReason: 'replaced' },
    });
    const answer = await reset(
      identity,
      phone,
      await identity.sentCode(phone, '/auth/forgot-mpin'),
    );
    expect([answer.status, answer.body]).toEqual([200, { updated: true }]);
    expect([await login(identity, phone, oldMpin), await login(identity, phone, newMpin)]).toEqual([
      'INVALID_CREDENTIALS',
      'ok',
    ]);
    const tablet = identity.as(String(second.body['accessToken']));
    expect((await tablet('GET', '/users/me')).status).toBe(401);
    expect((await identity.as()('POST', '/auth/refresh', { refreshToken })).status).toBe(401);
    const byFinger = await identity.as()('POST', '/auth/login-biometric', biometric);
    expect(errorCode(byFinger)).toBe('INVALID_CREDENTIALS');
    const events = await db.securityEvent.findMany({ where: { userId, kind: 'mpin_reset' } });
    expect(events).toHaveLength(1);
    const notices = await db.notification.findMany({ where: { userId, type: 'mpin_changed' } });
    expect(notices).toHaveLength(1);
  });

  it('ends the lock of wrong MPINs', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    for (let n = 0; n < 5; n += 1) await login(identity, phone, '0000');
    expect(await login(identity, phone, oldMpin)).toBe('MPIN_LOCKED');
    expect(
      (await reset(identity, phone, await identity.sentCode(phone, '/auth/forgot-mpin'))).status,
    ).toBe(200);
    expect(await login(identity, phone, newMpin)).toBe('ok');
  });

  it('sets the first MPIN of an account, without a notification of a change', async ({
    identity,
  }) => {
    const phone = newPhone();
    await identity.signIn(phone);
    const { id: userId } = await identity.database.db.user.findFirstOrThrow({ where: { phone } });
    expect(
      (await reset(identity, phone, await identity.sentCode(phone, '/auth/forgot-mpin'))).status,
    ).toBe(200);
    expect(await login(identity, phone, newMpin)).toBe('ok');
    const where = { userId, type: 'mpin_changed' };
    expect(await identity.database.db.notification.count({ where })).toBe(0);
  });

  it('refuses a code of another purpose, a used code and an expired code', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    await identity.as()('POST', '/auth/send-otp', { phone });
    expect(errorCode(await reset(identity, phone, await identity.codeOf(phone)))).toBe(
      'INVALID_OTP',
    );
    const otp = await identity.sentCode(phone, '/auth/forgot-mpin');
    expect((await reset(identity, phone, otp)).status).toBe(200);
    expect(errorCode(await reset(identity, phone, otp))).toBe('INVALID_OTP');
    const old = await identity.sentCode(phone, '/auth/forgot-mpin');
    clock.advance(10 * minuteMs);
    expect(errorCode(await reset(identity, phone, old))).toBe('INVALID_OTP');
    expect(await login(identity, phone, newMpin)).toBe('ok');
  });

  it('locks exactly at the third wrong code of 50 at once, even for an unregistered phone', async ({
    identity,
  }) => {
    const { phone } = await customerWithMpin(identity);
    for (const testedPhone of [phone, newPhone()]) {
      const wrong = otherCode(await identity.sentCode(testedPhone, '/auth/forgot-mpin'));
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => reset(identity, testedPhone, wrong)),
      );
      const codes = answers.map((answer) => String(errorCode(answer)));
      expect(codes.filter((code) => code === 'INVALID_OTP')).toHaveLength(3);
      expect(codes.filter((code) => code === 'OTP_LOCKED' || code === 'BUSY')).toHaveLength(47);
      expect(errorCode(await reset(identity, testedPhone, wrong))).toBe('OTP_LOCKED');
    }
    expect(await login(identity, phone, oldMpin)).toBe('ok');
  });

  it('answers 401 for a customer who has been blocked since', async ({ identity }) => {
    const { phone, userId } = await customerWithMpin(identity);
    const otp = await identity.sentCode(phone, '/auth/forgot-mpin');
    const data = { blocked: true, blockedReason: 'fraud' };
    await identity.database.db.user.update({ where: { id: userId }, data });
    expect(errorCode(await reset(identity, phone, otp))).toBe('ACCOUNT_UNAVAILABLE');
  });

  it('refuses an invalid MPIN before it checks the code', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    const otp = await identity.sentCode(phone, '/auth/forgot-mpin');
    expect((await reset(identity, phone, otp, '123')).status).toBe(400);
    expect((await reset(identity, phone, otp)).status).toBe(200);
  });
});
