import { expect } from 'vitest';
import { identityTest } from '#test/support/identity-test.ts';
import { errorCode } from '#test/support/open-identity.ts';
import { me, refresh, signIn } from '#test/support/session-calls.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const it = identityTest({ clock, env: { SESSIONS_PER_CUSTOMER: '3' } });
const reached = /^bound_reached_total\{[^}]*bound="sessions"[^}]*\} (\d+)$/mu;

it('a sign-in ends the oldest session and its biometric token if a customer has too many', async ({
  identity,
}) => {
  const phone = '+917650000001';
  const crowded = async () => Number(reached.exec(await identity.metrics())?.[1]);
  const opened = [];
  for (const deviceId of ['first', 'second', 'third']) {
    opened.push(await signIn(identity, phone, { deviceId }));
    clock.advance(1000);
  }
  const [first, second, third] = opened;
  if (first === undefined || second === undefined || third === undefined) throw new Error('none');
  const issued = await identity.as(first.accessToken)('POST', '/auth/biometric-token', {});
  const biometricToken = String(issued.body['biometricToken']);
  const again = await signIn(identity, phone, { deviceId: 'second' });
  for (const { accessToken } of [first, again, third]) {
    expect(await me(identity, accessToken)).toBe(200);
  }
  expect(await crowded()).toBe(0);

  const fourth = await signIn(identity, phone, { deviceId: 'fourth' });
  expect(await me(identity, first.accessToken)).toBe(401);
  expect((await refresh(identity, first.refreshToken)).status).toBe(401);
  const byFinger = { phone, deviceId: 'first', biometricToken };
  const refused = await identity.as()('POST', '/auth/login-biometric', byFinger);
  expect(errorCode(refused)).toBe('INVALID_CREDENTIALS');
  for (const { accessToken } of [again, third, fourth]) {
    expect(await me(identity, accessToken)).toBe(200);
  }
  expect(await crowded()).toBe(1);
});

it('a sign-in does not end sessions of other customers', async ({ identity }) => {
  const other = await signIn(identity, '+917650000002', { deviceId: 'first' });
  for (let n = 0; n < 4; n += 1) await signIn(identity, '+917650000003', { deviceId: `d${n}` });
  expect(await me(identity, other.accessToken)).toBe(200);
});
