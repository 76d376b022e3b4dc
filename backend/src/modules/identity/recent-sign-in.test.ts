import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { me, okOrCode, refresh, signIn, tokensOf } from '#test/support/session-calls.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const it = identityTest({ clock });

/** Signs in, lets `minutes` pass and refreshes, as a thief of the token could. */
const signedInFor = async (identity: OpenIdentity, minutes: number, mpin?: string) => {
  const phone = newPhone();
  let tokens = await signIn(identity, phone, { deviceId: 'phone' });
  if (mpin !== undefined) {
    await identity.as(tokens.accessToken)('POST', '/auth/set-mpin', { mpin });
  }
  clock.advance(minutes * minuteMs);
  tokens = tokensOf(await refresh(identity, tokens.refreshToken));
  return { phone, tokens, call: identity.as(tokens.accessToken) };
};

const ways = [
  ['an MPIN', '/auth/set-mpin', { mpin: '739164' }],
  ['a biometric token', '/auth/biometric-token', {}],
] as const;

describe.each(ways)('%s', (_name, path, body) => {
  it('needs a sign-in of less than 15 minutes ago, and a refresh is not a sign-in', async ({
    identity,
  }) => {
    const { call, phone } = await signedInFor(identity, 15);
    const answer = await call('POST', path, body);
    expect([answer.status, errorCode(answer)]).toEqual([403, 'RECENT_SIGN_IN_REQUIRED']);
    const fresh = await signIn(identity, phone, { deviceId: 'phone' });
    clock.advance(14 * minuteMs);
    expect(okOrCode(await identity.as(fresh.accessToken)('POST', path, body))).toBe('ok');
  });

  it('accepts the current MPIN instead of a recent sign-in', async ({ identity }) => {
    const { call } = await signedInFor(identity, 20, '482913');
    const wrong = await call('POST', path, { ...body, currentMpin: '111111' });
    expect([wrong.status, errorCode(wrong)]).toEqual([403, 'RECENT_SIGN_IN_REQUIRED']);
    expect(okOrCode(await call('POST', path, { ...body, currentMpin: '482913' }))).toBe('ok');
  });

  it('ends the session at the fifth wrong current MPIN, however much time is between them', async ({
    identity,
  }) => {
    const { call, tokens } = await signedInFor(identity, 20, '482913');
    for (let n = 0; n < 5; n += 1) {
      expect(okOrCode(await call('POST', path, { ...body, currentMpin: '111111' }))).toBe(
        'RECENT_SIGN_IN_REQUIRED',
      );
    }
    expect(await me(identity, tokens.accessToken)).toBe(401);
    expect((await refresh(identity, tokens.refreshToken)).status).toBe(401);
  });
});

it('every way to sign in that is added notifies the customer and is an event', async ({
  identity,
}) => {
  const { db } = identity.database;
  const phone = newPhone();
  const { accessToken } = await signIn(identity, phone, { deviceId: 'phone' });
  const call = identity.as(accessToken);
  await call('POST', '/auth/set-mpin', { mpin: '482913' });
  await call('POST', '/auth/set-mpin', { mpin: '739164' });
  await call('POST', '/auth/biometric-token', {});
  const where = { user: { phone } };
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  const notices = await db.notification.findMany({ where, orderBy });
  expect(notices.map(({ type }) => type)).toEqual(['mpin_set', 'mpin_changed', 'biometric_added']);
  const events = await db.securityEvent.findMany({ where });
  expect(events.map(({ kind }) => kind).toSorted()).toEqual([
    'biometric_token_issued',
    'device_signed_in',
    'mpin_set',
    'mpin_set',
  ]);
});
