import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { okOrCode } from '#test/support/session-calls.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createSessionPurges } from './identity.sweeps.ts';

const clock = createManualClock();
const dayMs = 24 * 60 * 60_000;
const it = identityTest({ clock });

const signIn = async (
  identity: OpenIdentity,
  phone: string,
  deviceId: string,
  deviceName?: string,
) => {
  const named = deviceName === undefined ? {} : { deviceName };
  const answer = await identity.signIn(phone, { deviceId, ...named });
  expect(answer.status).toBe(200);
  return {
    call: identity.as(String(answer.body['accessToken'])),
    refreshToken: String(answer.body['refreshToken']),
  };
};
interface View {
  readonly id: string;
  readonly deviceId: string;
  readonly deviceName: string | null;
  readonly biometric: boolean;
}
type Call = Awaited<ReturnType<typeof signIn>>['call'];

const tokenOf = async (call: Call, body: object = {}): Promise<string> => {
  const answer = await call('POST', '/auth/biometric-token', body);
  expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['biometricToken']]);
  return String(answer.body['biometricToken']);
};
const login = (
  identity: OpenIdentity,
  phone: string,
  deviceId: string,
  biometricToken: string,
): Promise<CallResponse> =>
  identity.as()('POST', '/auth/login-biometric', { phone, deviceId, biometricToken });
const sessionsOf = async (call: Call) => {
  const { body } = await call('GET', '/auth/sessions');
  return body['items'] as View[]; // its view
};
const userIdOf = async (identity: OpenIdentity, phone: string): Promise<string> =>
  (await identity.database.db.user.findFirstOrThrow({ where: { phone } })).id;

/** A session whose biometric token should end with it. */
interface Ended {
  readonly identity: OpenIdentity;
  readonly call: Call;
  readonly phone: string;
  readonly refreshToken: string;
}
const endings: Readonly<Record<string, (given: Ended) => Promise<void>>> = {
  'its session is revoked': async ({ identity, call, phone }) => {
    const { call: other } = await signIn(identity, phone, 'other');
    const session = (await sessionsOf(call)).find(({ deviceId }) => deviceId === 'phone');
    expect((await other('DELETE', `/auth/sessions/${session?.id}`)).status).toBe(204);
  },
  'its session is logged out': async ({ call, refreshToken }) => {
    expect((await call('POST', '/auth/logout', { refreshToken })).status).toBe(204);
  },
  'a used refresh token of its session is presented again': async ({ identity, refreshToken }) => {
    const body = { refreshToken };
    expect((await identity.as()('POST', '/auth/refresh', body)).status).toBe(200);
    clock.advance(30_000);
    expect((await identity.as()('POST', '/auth/refresh', body)).status).toBe(401);
  },
  'a code signs its device in': async ({ identity, phone }) => {
    await signIn(identity, phone, 'phone');
  },
  'the MPIN is new': async ({ call }) => {
    expect((await call('POST', '/auth/set-mpin', { mpin: '482913' })).status).toBe(200);
  },
};

describe('a biometric token', () => {
  it("signs the session's own device in, and no other", async ({ identity }) => {
    const phone = newPhone();
    const { call } = await signIn(identity, phone, 'phone', 'My phone');
    const token = await tokenOf(call);
    expect(token).toMatch(/^[\w-]{43}$/u);
    const answer = await login(identity, phone, 'phone', token);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'accessToken',
      'mpinSet',
      'refreshToken',
      'user',
    ]);
    const next = identity.as(String(answer.body['accessToken']));
    expect(await sessionsOf(next)).toMatchObject([{ deviceId: 'phone', deviceName: 'My phone' }]);
    // The replaced session ends at once.
    expect((await call('GET', '/users/me')).status).toBe(401);

    await signIn(identity, phone, 'tablet');
    const other = await next('POST', '/auth/biometric-token', { deviceId: 'tablet' });
    expect([other.status, errorCode(other)]).toEqual([400, 'NO_ACTIVE_SESSION']);
    expect(await tokenOf(next, { deviceId: 'phone' })).toMatch(/^[\w-]{43}$/u);
  });

  it('can be used repeatedly, and outlives the sessions that it replaces', async ({ identity }) => {
    const phone = newPhone();
    const token = await tokenOf((await signIn(identity, phone, 'phone')).call);
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ok');
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ok');
    clock.advance(60 * dayMs);
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ok');
  });

  it('is stored as a hash', async ({ identity }) => {
    const phone = newPhone();
    const token = await tokenOf((await signIn(identity, phone, 'phone')).call);
    const where = { userId: await userIdOf(identity, phone) };
    const rows = await identity.database.db.biometricToken.findMany({ where });
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(identity.logged()).not.toContain(token);
  });

  it('replaces the earlier token of its device', async ({ identity }) => {
    const phone = newPhone();
    const { call } = await signIn(identity, phone, 'phone');
    const [first, second] = [await tokenOf(call), await tokenOf(call)];
    expect(okOrCode(await login(identity, phone, 'phone', first))).toBe('INVALID_CREDENTIALS');
    expect(okOrCode(await login(identity, phone, 'phone', second))).toBe('ok');
  });

  it('is 400 for a device without a live session, even if another customer has one', async ({
    identity,
  }) => {
    const phone = newPhone();
    const { call } = await signIn(identity, phone, 'phone');
    await signIn(identity, newPhone(), 'theirs');
    for (const deviceId of ['theirs', 'unknown']) {
      const answer = await call('POST', '/auth/biometric-token', { deviceId });
      expect([answer.status, errorCode(answer)]).toEqual([400, 'NO_ACTIVE_SESSION']);
    }
    const { call: tablet } = await signIn(identity, phone, 'tablet');
    clock.advance(31 * dayMs);
    const later = await signIn(identity, phone, 'phone');
    const expired = await later.call('POST', '/auth/biometric-token', { deviceId: 'tablet' });
    expect(errorCode(expired)).toBe('NO_ACTIVE_SESSION');
    expect((await tablet('POST', '/auth/biometric-token', {})).status).toBe(401);
  });

  it.for(Object.entries(endings))('ends when %s', async ([_name, end], { identity }) => {
    const phone = newPhone();
    const { call, refreshToken } = await signIn(identity, phone, 'phone');
    const token = await tokenOf(call);
    await end({ identity, call, phone, refreshToken });
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('INVALID_CREDENTIALS');
    await signIn(identity, phone, 'phone');
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('INVALID_CREDENTIALS');
  });

  it('ends when it was neither issued nor used for 180 days', async ({ identity }) => {
    const phone = newPhone();
    const token = await tokenOf((await signIn(identity, phone, 'phone')).call);
    clock.advance(180 * dayMs - 1);
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ok');
    clock.advance(180 * dayMs - 1);
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ok');
    clock.advance(180 * dayMs);
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('INVALID_CREDENTIALS');
    const next = await tokenOf((await signIn(identity, phone, 'phone')).call);
    expect(okOrCode(await login(identity, phone, 'phone', next))).toBe('ok');
  });

  it('is revoked by the id of its expired session, which is not purged before the token', async ({
    identity,
  }) => {
    const phone = newPhone();
    const { call } = await signIn(identity, phone, 'lost');
    const [session] = await sessionsOf(call);
    const token = await tokenOf(call);
    clock.advance(179 * dayMs);
    const { db } = identity.database;
    for (const { deleteBatch } of createSessionPurges({ db, clock })) await deleteBatch(1000);
    const { call: other } = await signIn(identity, phone, 'other');
    expect(
      (await sessionsOf(other)).map(({ deviceId, biometric }) => ({ deviceId, biometric })),
    ).toEqual([
      { deviceId: 'other', biometric: false },
      { deviceId: 'lost', biometric: true },
    ]);
    const path = `/auth/sessions/${session?.id}`;
    const { call: stranger } = await signIn(identity, newPhone(), 'lost');
    expect((await stranger('DELETE', path)).status).toBe(404);
    expect((await other('DELETE', path)).status).toBe(204);
    expect(okOrCode(await login(identity, phone, 'lost', token))).toBe('INVALID_CREDENTIALS');
    expect((await other('DELETE', path)).status).toBe(404);
  });

  it.for([
    ['has no token', false],
    ['has one that was not used for 180 days', true],
  ] as const)(
    'is nothing to revoke where the device of a lapsed session %s',
    async ([_name, hasToken], { identity }) => {
      const phone = newPhone();
      const { call } = await signIn(identity, phone, 'phone');
      const [session] = await sessionsOf(call);
      if (hasToken) await tokenOf(call);
      clock.advance((hasToken ? 180 : 31) * dayMs);
      const { call: other } = await signIn(identity, phone, 'other');
      expect((await other('DELETE', `/auth/sessions/${session?.id}`)).status).toBe(404);
    },
  );

  it('does not sign a blocked customer in', async ({ identity }) => {
    const phone = newPhone();
    const token = await tokenOf((await signIn(identity, phone, 'phone')).call);
    const data = { blocked: true, blockedReason: 'fraud' };
    const where = { id: await userIdOf(identity, phone) };
    await identity.database.db.user.update({ where, data });
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ACCOUNT_UNAVAILABLE');
    expect(okOrCode(await login(identity, phone, 'phone', 'A'.repeat(43)))).toBe(
      'INVALID_CREDENTIALS',
    );
  });
});

describe('a refused biometric sign-in', () => {
  it('is the same for an unregistered phone, another customer, another device and another token', async ({
    identity,
  }) => {
    const phone = newPhone();
    const token = await tokenOf((await signIn(identity, phone, 'phone')).call);
    const other = newPhone();
    await tokenOf((await signIn(identity, other, 'phone')).call);
    const answers = [
      await login(identity, newPhone(), 'phone', token),
      await login(identity, other, 'phone', token),
      await login(identity, phone, 'tablet', token),
      await login(identity, phone, 'phone', 'A'.repeat(43)),
    ];
    const bodies = answers.map(({ status, body }) => {
      const { requestId: _requestId, ...error } = Object(body['error']);
      return { status, ...error };
    });
    expect(bodies[0]).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0], bodies[0]]);
    expect(okOrCode(await login(identity, phone, 'phone', token))).toBe('ok');
  });

  it('is an event of the customer with this phone', async ({ identity }) => {
    const phone = newPhone();
    await signIn(identity, phone, 'phone');
    await login(identity, phone, 'phone', 'A'.repeat(43));
    const where = { userId: await userIdOf(identity, phone), kind: 'sign_in_refused' };
    expect(await identity.database.db.securityEvent.count({ where })).toBe(1);
  });
});
